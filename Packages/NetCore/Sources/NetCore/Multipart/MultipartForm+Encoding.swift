#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension MultipartForm {
  /// The value of `Content-Type`: `multipart/form-data` with the ``boundary``.
  public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The form as a request's content, for code that makes an ``HTTPRequest`` itself; see ``RequestBody/multipart(_:)``.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when a part's content type has a control character.
  public func makeBody() throws -> HTTPBody {
    let sections = try parts.map { MultipartSection(head: try head(of: $0), body: $0.body) }
    let end = Data("--\(boundary)--\r\n".utf8)
    return HTTPBody(length: length(of: sections, end: end), isReplayable: parts.allSatisfy { $0.body.isReplayable }) {
      MultipartChunks(sections: sections, end: end)
    }
  }

  /// A delimiter and the fields of a part, with the empty line behind them.
  private func head(of part: Part) throws -> Data {
    var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(MultipartName.encode(part.name))\""
    if let filename = part.filename { head += "; filename=\"\(MultipartName.encode(filename))\"" }
    if let type = part.contentType {
      guard let field = HTTPField(name: .contentType, value: type) else {
        throw APIError.invalidRequest("The content type of a part has a control character: remove it.")
      }
      head += "\r\nContent-Type: \(field.value)"
    }
    return Data((head + "\r\n\r\n").utf8)
  }

  /// `nil` when a part's length is unknown, or the sum is more than anybody can send.
  private func length(of sections: [MultipartSection], end: Data) -> Int64? {
    var length = Int64(end.count)
    for section in sections {
      guard let size = section.body.length else { return nil }
      for count in [size, Int64(section.head.count + MultipartSection.tail.count)] {
        let (sum, overflow) = length.addingReportingOverflow(count)
        guard !overflow else { return nil }
        length = sum
      }
    }
    return length
  }
}
