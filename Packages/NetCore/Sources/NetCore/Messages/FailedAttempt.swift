/// An attempt of a call that failed, and was followed by another.
public struct FailedAttempt: Sendable, Hashable {
  /// What went wrong.
  public enum Failure: Sendable, Hashable {
    /// The response's status, or a caller's verdict on its response.
    case status(HTTPResponse.Status)
    /// There was no response.
    case error(APIError.Kind)
  }

  /// Which attempt it was, from 1.
  public let number: Int
  /// When it began, counted from the first.
  public let began: Duration
  /// What went wrong.
  public let failure: Failure
  /// How long was waited after it.
  public let wait: Duration

  /// A failed attempt.
  public init(number: Int, began: Duration, failure: Failure, wait: Duration) {
    self.number = number
    self.began = began
    self.failure = failure
    self.wait = wait
  }
}

extension FailedAttempt: CustomStringConvertible {
  /// `1 at 0.0 ms: 503 Service Unavailable, then waited 500.0 ms`
  public var description: String {
    let what =
      switch failure {
      case .status(let status): "\(status)"
      case .error(let kind): kind.name
      }
    return "\(number) at \(began.readable): \(what), then waited \(wait.readable)"
  }
}
