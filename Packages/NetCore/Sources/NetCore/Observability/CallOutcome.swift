/// How a call ended.
public struct CallOutcome: Sendable {
  /// The call's request before any stage changed it; `nil` when there was none that could be sent.
  public var request: HTTPRequest?
  /// The status of its response; `nil` when there was none.
  public var status: HTTPResponse.Status?
  /// Why it failed, be it without a response, by its status or in decoding; `CancellationError` when it was cancelled, or a
  /// body was dropped before its end. `nil` when it ended well.
  public var error: (any Error)?
  /// The time from the call to its end.
  public var duration: Duration
  /// The bytes of content that the caller got, after decoding; of a body that is read as it arrives, those that were read.
  public var bytesReceived: Int64
  /// What is known about the exchange, with the attempts and the last one's timings; `nil` when there was no response.
  public var info: ExchangeInfo?

  /// An outcome, as tests of an observer make one.
  public init(
    request: HTTPRequest? = nil, status: HTTPResponse.Status? = nil, error: (any Error)? = nil,
    duration: Duration = .zero, bytesReceived: Int64 = 0, info: ExchangeInfo? = nil
  ) {
    self.request = request
    self.status = status
    self.error = error
    self.duration = duration
    self.bytesReceived = bytesReceived
    self.info = info
  }
}
