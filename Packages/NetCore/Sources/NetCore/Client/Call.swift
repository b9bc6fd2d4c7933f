/// One call of a client: what its events and its error tell.
struct Call {
  let endpointName: String
  private let events: EventEmitter?
  private let trace: CopyOnWrite<TraceContext>?
  private let timeSource: TimeSource
  private let attemptTimeout: Duration?
  private let started: Duration
  private var request: HTTPRequest?
  private var attempts = 0
  private var failures: [FailedAttempt] = []
  private var whyNotRetried: String?
  private var redirects: [Redirect] = []
  private var isStreaming = false
  /// What its last event tells; nothing when nobody watches.
  private var outcome: CopyOnWrite<CallOutcome>?

  init(_ endpointName: String, number: Int, configuration: HTTPClient.Configuration) {
    self.endpointName = endpointName
    events = EventEmitter(
      call: number, observers: configuration.observers, timeSource: configuration.timeSource)
    trace = (configuration.tracing?.begin()).map(CopyOnWrite.init)
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
    context.trace = trace?.value
    context.events = events
    context.report(.started(encoded))
    return context
  }

  /// Notes what the pipeline brought; the response is told how long it took, and from where it came.
  mutating func received(_ response: inout HTTPResponse) {
    attempts = response.info.attempts
    failures = response.info.failures
    whyNotRetried = response.info.whyNotRetried
    redirects = response.info.redirects
    response.info.duration = timeSource.elapsed - started
    response.url = response.url ?? request?.url
    guard events != nil else { return }
    outcome = CopyOnWrite(
      CallOutcome(
        status: response.status, bytesReceived: Int64(response.body.bufferedBytes?.count ?? 0), info: response.info))
  }

  /// Makes the call end with the body of `response`, when that is on its way.
  mutating func endsWithBody(of response: inout HTTPResponse) {
    guard events != nil, response.body.bufferedBytes == nil else { return }
    isStreaming = true
    response.body = response.body.onEnd { [self] error, bytes in finish(error, bytes: bytes) }
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

  private func finish(_ error: (any Error)?, bytes: Int64? = nil) {
    guard let events else { return }
    var outcome = outcome?.value ?? CallOutcome()
    outcome.request = request
    outcome.error = error
    outcome.duration = timeSource.elapsed - started
    if let bytes { outcome.bytesReceived = bytes }
    let attempts = max(attempts, (error as? APIError)?.attempts ?? 0, 1)
    events.emit(.finished(outcome), endpointName: endpointName, attempt: attempts, trace: trace?.value)
  }

  private func complete(_ error: any Error) -> any Error {
    guard var error = error as? APIError else { return error }
    if attempts > 0 {
      (error.attempts, error.failures, error.redirects) = (attempts, failures, redirects)
      error.whyNotRetried = whyNotRetried
    }
    if let request, error.request == nil {
      error.request = APIError.FailedRequest(
        endpointName: endpointName, method: request.method, url: Redactor.standard.redact(request.url))
    }
    return error
  }
}
