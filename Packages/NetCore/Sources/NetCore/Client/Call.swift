/// One call of a client: what its events and its error tell.
struct Call {
  let endpointName: String
  private let events: EventEmitter
  private let timeSource: TimeSource
  private let attemptTimeout: Duration?
  private let started: Duration
  private var request: HTTPRequest?
  private var attempts = 0
  private var failures: [FailedAttempt] = []
  private var redirects: [Redirect] = []
  private var isStreaming = false

  init(_ endpointName: String, number: Int, configuration: HTTPClient.Configuration) {
    self.endpointName = endpointName
    events = EventEmitter(call: number, observers: configuration.observers)
    timeSource = configuration.timeSource
    attemptTimeout = configuration.attemptTimeout
    started = configuration.timeSource.elapsed
  }

  /// The context in which the pipeline sends `encoded`, which is `request` on the wire.
  mutating func context(
    for request: some APIRequest, as encoded: HTTPRequest, timeout: Duration, delivery: RequestContext.Delivery
  ) throws -> RequestContext {
    self.request = encoded
    try Self.check(timeout)
    if let attemptTimeout { try Self.check(attemptTimeout) }
    var context = RequestContext(
      endpointName: endpointName, deadline: started + timeout, delivery: delivery, cacheMode: request.cacheMode)
    context.retryPolicy = request.retry
    context.redirectPolicy = request.redirects
    context.mayShareFlight = request.mayShareFlight
    context.events = events
    return context
  }

  /// Notes what the pipeline brought; the response is told how long it took, and from where it came.
  mutating func received(_ response: inout HTTPResponse) {
    attempts = response.info.attempts
    failures = response.info.failures
    redirects = response.info.redirects
    response.info.duration = timeSource.elapsed - started
    response.url = response.url ?? request?.url
  }

  /// Makes the call end with the body of `response`, when that is on its way.
  mutating func endsWithBody(of response: inout HTTPResponse) {
    guard events.isWatched, response.body.bufferedBytes == nil else { return }
    isStreaming = true
    response.body = response.body.onEnd { [self] in finish($0) }
  }

  /// Tells the observers that the call has ended well; one that ends with its body does that later.
  func succeed() {
    if !isStreaming { finish(nil) }
  }

  /// Tells the observers that the call has failed.
  ///
  /// - Returns: What the caller is told: `CancellationError` when its task is cancelled, else `error`, which knows the
  ///   call when it is an ``APIError``.
  func fail(_ error: any Error) -> any Error {
    let error = Task.isCancelled ? CancellationError() : complete(error)
    finish(error)
    return error
  }

  private static func check(_ limit: Duration) throws {
    guard limit > .zero else {
      throw APIError.invalidRequest("A time limit of \(limit) leaves no time: give one above zero.")
    }
  }

  private func finish(_ error: (any Error)?) {
    events.emit(
      .finished(error, after: timeSource.elapsed - started), endpointName: endpointName, attempt: max(attempts, 1))
  }

  private func complete(_ error: any Error) -> any Error {
    guard var error = error as? APIError else { return error }
    if attempts > 0 { (error.attempts, error.failures, error.redirects) = (attempts, failures, redirects) }
    if let request, error.request == nil {
      error.request = APIError.FailedRequest(
        endpointName: endpointName, method: request.method, url: Redactor.standard.redact(request.url))
    }
    return error
  }
}
