/// Why a server could not start: its port is taken, most likely.
public struct BackendStartError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, for people.
  public let description: String
}
