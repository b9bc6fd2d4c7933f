import Foundation
import NetTesting
import TestSupport
import Testing

@testable import NetCore

@Suite struct AuthenticationChallengeTests {
  private func challenges(_ values: String...) -> [AuthenticationChallenge] {
    var fields: HTTPFields = [:]
    for value in values { fields.append(.wwwAuthenticate, value) }
    return HTTPResponse(status: .unauthorized, fields: fields).challenges
  }

  @Test(
    arguments: [
      ("", []), (" , ,, ", []), ("Negotiate", [.init(scheme: "Negotiate")]),
      (#"Basic realm="foo""#, [.init(scheme: "Basic", parameters: ["realm": "foo"])]),
      (#"basic REALM=foo"#, [.init(scheme: "basic", parameters: ["realm": "foo"])]),
      (
        #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
        [
          .init(scheme: "Newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
          .init(scheme: "Basic", parameters: ["realm": "simple"]),
        ]
      ),
      ("NTLM TlRMTVNTUAAB=", [.init(scheme: "NTLM", token: "TlRMTVNTUAAB=")]),
      (
        "Negotiate a87421000492aa874209af8bc028, Negotiate, Bearer",
        [
          .init(scheme: "Negotiate", token: "a87421000492aa874209af8bc028"), .init(scheme: "Negotiate"),
          .init(scheme: "Bearer"),
        ]
      ),
      (
        #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#,
        [
          .init(
            scheme: "Bearer",
            parameters: [
              "realm": "example", "error": "invalid_token", "error_description": "The access token expired",
            ])
        ]
      ),
      (
        "Digest qop=\"auth, auth-int\" ,\t, nonce = x , Basic realm=\"ü\"",
        [
          .init(scheme: "Digest", parameters: ["qop": "auth, auth-int", "nonce": "x"]),
          .init(scheme: "Basic", parameters: ["realm": "ü"]),
        ]
      ),
      ("Bearer a=1, a=2", [.init(scheme: "Bearer", parameters: ["a": "1"])]),
      ("Bearer  x=y", [.init(scheme: "Bearer", parameters: ["x": "y"])]),
      (#"Bearer x="""#, [.init(scheme: "Bearer", parameters: ["x": ""])]),
    ] as [(String, [AuthenticationChallenge])])
  func `challenges are read as RFC 9110 writes them`(value: String, expected: [AuthenticationChallenge]) {
    #expect(challenges(value) == expected)
  }

  @Test(arguments: [
    #"Bearer realm="never closed"#, #"Bearer realm="ends in a backslash\"#, "Bearer realm=a b", "Bearer =x", "=",
    "\"Bearer\"", "Bearer/1 realm=x", "Bearer realm=\"x\"y", "(comment)",
  ])
  func `what breaks the grammar is left out`(value: String) {
    #expect(challenges(value).allSatisfy { $0.parameters.isEmpty && $0.token == nil })
    #expect(challenges("Basic realm=x", value).first == .init(scheme: "Basic", parameters: ["realm": "x"]))
  }

  @Test func `what a server may send is bounded`() {
    #expect(challenges(Array(repeating: "Basic realm=x", count: 1_000).joined(separator: ", ")).count == 16)
    let many = (0..<100).map { "p\($0)=1" }.joined(separator: ", ")
    #expect(challenges("Basic realm=x, Bearer " + many).map(\.scheme) == ["Basic"])
    #expect(challenges("Bearer realm=\"" + String(repeating: "x", count: 1_000_000) + "\"").isEmpty)
    #expect(challenges(String(repeating: ",", count: 1_000_000)).isEmpty)
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `noise does no harm`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array(#"ab=", \/ Bearer~é"#)
    for _ in 1...200 {
      let text = String(
        (0..<Int.random(in: 0...60, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
      #expect(challenges(text).count <= 16)
    }
  }

  @Test func `names are compared without regard to case`() throws {
    let challenge = try #require(challenges(#"BEARER Error="invalid_token""#).first)
    #expect(challenge.isScheme("Bearer"))
    #expect(challenge["ERROR"] == "invalid_token")
    #expect(challenge["realm"] == nil)
  }
}
