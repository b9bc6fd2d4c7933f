#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the app gets a token of its own (OAuth 2.0, RFC 6749, section 4.4), for a server that wants one.
struct ClientCredentials: Equatable {
  let tokenURL: URL
  let id: String
  let secret: String

  static let variables = ["BREWTIPS_TOKEN_URL", "BREWTIPS_CLIENT_ID", "BREWTIPS_CLIENT_SECRET"]
}

extension ClientCredentials {
  /// What the environment says; `nil` when it has none of the variables, or only empty ones.
  init?(environment: [String: String]) throws(Failure) {
    let values = Self.variables.map { environment[$0] ?? "" }
    guard values.contains(where: { !$0.isEmpty }) else { return nil }
    if let missing = values.firstIndex(of: "") {
      let others = Self.variables.filter { $0 != Self.variables[missing] }.joined(separator: " and ")
      throw .configuration("\(Self.variables[missing]) is missing: set it beside \(others), or none of the three")
    }
    if let problem = Settings.problem(inURL: values[0]) { throw .configuration("BREWTIPS_TOKEN_URL \(problem)") }
    guard let url = URL(string: values[0]) else { return nil }
    (tokenURL, id, secret) = (url, values[1], values[2])
  }
}
