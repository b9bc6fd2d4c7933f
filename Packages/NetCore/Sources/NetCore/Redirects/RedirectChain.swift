#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The requests of a call, of which all but the last were redirected.
struct RedirectChain {
  /// The last request.
  private(set) var request: HTTPRequest
  /// The redirects that were followed.
  private(set) var redirects: [Redirect] = []
  /// How many times something was sent before the last request.
  private(set) var attempts = 0
  private var failures: [FailedAttempt] = []
  /// When the last request began, counted from the first.
  private var elapsed = Duration.zero
  private var visits: Set<Visit> = []

  /// What was asked for.
  private struct Visit: Hashable {
    let method: HTTPRequest.Method
    let url: String
    let fields: HTTPFields

    init(_ request: HTTPRequest) {
      method = request.method
      url = request.url.withoutFragment.absoluteString
      fields = request.fields
    }
  }

  /// A chain of one request.
  init(_ request: HTTPRequest) {
    self.request = request
    visits = [Visit(request)]
  }

  /// The last URL, with its fragment, which is not sent.
  var url: URL { redirects.last?.to ?? request.url }

  /// Whether such a request was answered before, and no response has set a cookie since, which could change the answer.
  func contains(_ request: HTTPRequest) -> Bool {
    visits.contains(Visit(request))
  }

  /// Goes on with `next`, so long after the first request, since `response` answers the last one.
  @discardableResult
  mutating func follow(_ response: HTTPResponse, to next: HTTPRequest, after elapsed: Duration) -> Redirect {
    let redirect = Redirect(status: response.status, from: url, to: next.url)
    redirects.append(redirect)
    attempts = max(attempts, response.info.attempts)
    failures += response.info.failures.map { $0.later(by: self.elapsed) }
    self.elapsed = elapsed
    if response.fields.contains(.setCookie) { visits = [] }
    request = next
    request.url = next.url.withoutFragment
    visits.insert(Visit(request))
    return redirect
  }

  /// `response`, the answer, which knows how it was come by.
  func completing(_ response: HTTPResponse) -> HTTPResponse {
    guard !redirects.isEmpty else { return response }
    var response = response
    response.url = response.url ?? url
    response.info.attempts = max(attempts, response.info.attempts)
    response.info.failures = failures + response.info.failures.map { $0.later(by: elapsed) }
    response.info.redirects = redirects
    return response
  }

  /// Completes the error with which the call ends: some server has answered, and may have acted.
  func complete(_ error: inout APIError) {
    error.mayHaveReachedServer = true
    error.attempts = max(attempts, error.attempts)
    error.failures = failures + error.failures.map { $0.later(by: elapsed) }
    error.redirects = redirects
  }
}

extension FailedAttempt {
  /// The same, begun later.
  fileprivate func later(by duration: Duration) -> FailedAttempt {
    FailedAttempt(number: number, began: began + duration, failure: failure, wait: wait)
  }
}

extension URL {
  /// The URL as it is asked for.
  var withoutFragment: URL {
    let text = absoluteString
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return self }
    return URL(string: String(text[..<end])) ?? self
  }
}
