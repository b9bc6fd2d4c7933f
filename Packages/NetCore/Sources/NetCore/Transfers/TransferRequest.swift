#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A caller's request as a transfer sends it: all of it, with more fields, and with the time that a large body takes.
struct TransferRequest<Base: APIRequest>: APIRequest {
  typealias Response = Base.Response

  /// The time for a transfer whose request names none: a week. The transport's limits end one that stands still long before.
  static var longestTime: Duration { .seconds(7 * 86_400) }

  let base: Base
  /// Fields that replace the request's own of the same name.
  var moreFields: HTTPFields = [:]
  /// Who is told how much of the body is through.
  var feed: ProgressFeed?
  /// The policy instead of the request's own.
  var ownRetry: RetryPolicy?

  var endpointName: String { base.endpointName }
  var method: HTTPRequest.Method { base.method }
  var path: RequestPath { base.path }
  var absoluteURL: URL? { base.absoluteURL }
  var query: Query { base.query }
  var fields: HTTPFields {
    var fields = base.fields
    fields.override(with: moreFields)
    return fields
  }
  var body: RequestBody {
    guard let feed else { return base.body }
    return base.body.counted(by: feed)
  }
  var timeout: Duration? { base.timeout ?? Self.longestTime }
  var cacheMode: CacheMode { base.cacheMode }
  var retry: RetryPolicy? { ownRetry ?? base.retry }
  var redirects: RedirectPolicy? { base.redirects }
  var idempotencyKey: IdempotencyKey? { base.idempotencyKey }
  var mayShareFlight: Bool { false }
  var validation: ResponseValidation? { base.validation }

  func decode(_ response: CollectedResponse, coders: Coders) throws -> Response {
    try base.decode(response, coders: coders)
  }
}
