import Foundation
import Testing

@testable import NetCore

/// The moment at which a `TestClock` begins: 2026-01-01 00:00:00.
let cookieNow = Date(timeIntervalSince1970: 1_767_225_600)

/// A row of a table about cookies, named by what it is about.
struct CookieRow<Input: Sendable, Output: Sendable>: Sendable, CustomTestStringConvertible {
  let input: Input
  let output: Output

  init(_ input: Input, _ output: Output) {
    self.input = input
    self.output = output
  }

  var testDescription: String { String(describing: input).displayable(upTo: 80) }
}

/// Waits until `condition` holds, or the suite's time limit cancels the test.
func waitUntil(_ condition: () -> Bool) async throws {
  while !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

extension CookieOrigin {
  /// The origin of a URL of a test.
  init(_ url: String) throws {
    self = try #require(CookieOrigin(URL(string: url)!))
  }
}

extension SetCookie {
  init?(_ text: String) {
    self.init(Array(text.utf8))
  }
}

extension Cookie {
  /// The cookie that `field` sets from `url`.
  init?(_ field: String, from url: String, publicSuffixes: PublicSuffixes = .builtIn) throws {
    guard let field = SetCookie(field) else { return nil }
    self.init(field, from: try CookieOrigin(url), at: cookieNow, publicSuffixes: publicSuffixes)
  }
}

extension CookieJar {
  /// Takes `Set-Cookie` values from `url`.
  func set(_ values: String..., from url: String) async {
    var fields: HTTPFields = [:]
    for value in values { fields.append(.setCookie, value) }
    await setCookies(from: fields, for: URL(string: url)!)
  }

  /// The Cookie field's value for a request to `url`.
  func sent(to url: String) async throws -> String? {
    try await load()
    return field(for: URL(string: url)!)?.value
  }
}
