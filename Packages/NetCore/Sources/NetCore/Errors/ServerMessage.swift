/// What a server said about a failure, as far as it was understood.
public struct ServerMessage: Sendable, Hashable {
  /// What the server says, for people: at most 500 characters, none of them a control character.
  public let text: String
  /// The server's own code for the failure, such as `quota_exceeded`.
  public let code: String?
  /// The problem details of RFC 9457, when the server sent those.
  public let problem: ProblemDetails?

  /// A message.
  public init(_ text: String, code: String? = nil, problem: ProblemDetails? = nil) {
    self.text = text.displayable(upTo: 500)
    self.code = code?.displayable(upTo: 100)
    self.problem = problem
  }
}

extension ServerMessage: CustomStringConvertible {
  /// The text, with the code where there is one.
  public var description: String {
    "\"\(text)\"" + (code.map { " (\($0))" } ?? "")
  }
}
