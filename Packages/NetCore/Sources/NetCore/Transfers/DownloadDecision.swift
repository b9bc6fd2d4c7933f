/// What a download does with a response.
enum DownloadDecision: Equatable {
  /// All of the content comes: what was there is replaced.
  case begin
  /// The rest comes, up to the offset `end`, of content of `total` bytes.
  case goOn(end: Int64, total: Int64)
  /// What is there does not fit what the server has: the next request asks for all of it.
  case startOver
  /// The status is a failure.
  case refuse

  /// What was asked for beside the content itself: what comes after the offset, if the validator still holds.
  struct Continuation: Equatable {
    var offset: Int64
    var validator: String
    /// The length of the whole; `nil` when it is not known.
    var total: Int64?
  }

  /// - Parameters:
  ///   - status: The response's status.
  ///   - fields: Its fields.
  ///   - bodyLength: The length of its body, when it announces one.
  ///   - continuation: What was asked for; `nil` for all of the content.
  init(status: HTTPResponse.Status, fields: HTTPFields, bodyLength: Int64?, asked continuation: Continuation?) {
    switch (status, continuation) {
    case (.ok, _), (203, _): self = .begin
    case (.partialContent, let continuation?): self = Self.partial(fields, bodyLength, continuation)
    case (416, _?): self = .startOver
    default: self = .refuse
    }
  }

  /// A 206 is believed only as far as it answers exactly what was asked: from the offset on, of the same content, in one part,
  /// and not coded.
  private static func partial(_ fields: HTTPFields, _ bodyLength: Int64?, _ asked: Continuation) -> DownloadDecision {
    guard let range = fields[.contentRange].flatMap(ContentRange.init), range.first == asked.offset,
      let total = range.total ?? asked.total, total == asked.total ?? total, range.last < total,
      bodyLength == nil || bodyLength == range.last - range.first + 1,
      !fields.haveContentCoding, !fields.areOfSeveralRanges, !StrongValidator.contradicts(asked.validator, fields)
    else { return .startOver }
    return .goOn(end: range.last + 1, total: total)
  }
}

extension HTTPFields {
  /// Whether the content is coded (RFC 9110, section 8.4); `identity` is none.
  var haveContentCoding: Bool {
    self[.contentEncoding].map { $0.lowercased() != "identity" && !$0.isEmpty } ?? false
  }

  /// Whether the content is several parts of a representation (RFC 9110, section 14.6).
  fileprivate var areOfSeveralRanges: Bool {
    self[.contentType]?.lowercased().hasPrefix("multipart/byteranges") ?? false
  }
}
