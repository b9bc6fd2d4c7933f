#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A redirect of a call: which status, from where, and where to.
public struct Redirect: Sendable, Hashable {
  /// The status of the response that redirected.
  public let status: HTTPResponse.Status
  /// The URL that was asked for.
  public let from: URL
  /// The URL that is asked for next, with the fragment it has or inherits (RFC 9110, section 10.2.2).
  public let to: URL

  /// A redirect.
  public init(status: HTTPResponse.Status, from: URL, to: URL) {
    self.status = status
    self.from = from
    self.to = to
  }

  /// Whether it leads from https to http.
  var isDowngrade: Bool { from.scheme?.lowercased() == "https" && to.scheme?.lowercased() == "http" }
}

extension Redirect: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `302 Found: https://a.example/old → https://b.example/new`, with what ``Redactor/standard`` does not allow hidden.
  public var description: String {
    "\(status): \(Redactor.standard.redact(from)) → \(Redactor.standard.redact(to))"
  }

  /// The same as ``description``: printing a redirect leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
