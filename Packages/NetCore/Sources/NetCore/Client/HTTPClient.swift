import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The concrete ``NetworkClient``: encodes a request, sends it through the pipeline, validates the status, decodes.
///
///     let client = HTTPClient(baseURL: URL(string: "https://api.example.com/v1")!, transport: transport)
///     let tip: Tip = try await client.send(Endpoint(path: "tips/today"))
///
/// As it comes, a call has 30 seconds in total and collects at most 10 MB. Nothing is sent twice, stored or logged until
/// that is asked for in the ``Configuration``.
public final class HTTPClient: NetworkClient, HTTPStreaming {
  /// The settings.
  public let configuration: Configuration
  private let pipeline: any HTTPTransport
  private let supervisor: CallSupervisor
  private let callNumber = Atomic(0)

  /// A client with the given settings, over `transport`.
  public init(_ configuration: Configuration, transport: any HTTPTransport) {
    let supervisor = CallSupervisor(timeSource: configuration.timeSource)
    self.configuration = configuration
    self.supervisor = supervisor
    pipeline = Self.pipeline(configuration, supervisor: supervisor, transport: transport)
  }

  /// A client with default settings, over `transport`.
  public convenience init(baseURL: URL, transport: any HTTPTransport) {
    self.init(Configuration(baseURL: baseURL), transport: transport)
  }

  /// The stages of a call, the outermost first.
  private static func pipeline(
    _ configuration: Configuration, supervisor: CallSupervisor, transport: any HTTPTransport
  ) -> any HTTPTransport {
    transport.behind(
      // The caller's own view of a call: once, as it was made.
      configuration.callMiddlewares
        // Everything below shares the call's time limit and ends with the client.
        + [Supervision(supervisor: supervisor)]
        // Once an attempt, so that a signature is made for what is sent.
        + configuration.attemptMiddlewares
        // Below what the caller changes, so that events show the request on the wire.
        + [AttemptEvents(timeSource: configuration.timeSource)]
        // Inside the attempt, so that a body cut short fails the attempt, and events have the body's size.
        + [BodyCollection()])
  }

  /// Sends `request` and returns its value with the response it came in.
  ///
  /// - Throws: ``APIError``; `CancellationError` when the task was cancelled or ``shutdown(_:)`` cancelled the call; what
  ///   a middleware or validation of the caller's own throws, as it is.
  public func reply<R: APIRequest>(to request: R) async throws -> Reply<R.Response> {
    try await call(request, delivery: .collected(upTo: configuration.maximumBodySize)) { response, url in
      let body = try await response.body.collect(upTo: configuration.maximumBodySize)
      let collected = CollectedResponse(status: response.status, fields: response.fields, body: body, url: url)
      guard try (request.validation ?? configuration.validation).isSuccess(response) else {
        let message = configuration.serverMessage.message(in: collected, coders: configuration.coders)
        throw APIError.badStatus(collected, message: message)
      }
      let value = try decode(request, from: collected)
      return Reply(value, status: response.status, fields: response.fields, url: url, info: response.info)
    }
  }

  /// Sends `request` and returns the response once its head is there.
  ///
  /// - Throws: As ``reply(to:)`` does, but no status is a failure.
  public func open<R: APIRequest>(_ request: R) async throws -> HTTPResponse {
    try await call(request, delivery: .streaming) { response, url in
      var response = response
      response.url = url
      return response
    }
  }

  /// Ends the client: no new call starts, those under way finish or are cancelled, and it returns when the last has ended.
  ///
  /// A call that is refused throws ``APIError`` of kind `invalidRequest`; one that is cancelled, `CancellationError`. A
  /// client that is only dropped stops by itself once its calls and the bodies being read have ended.
  public func shutdown(_ mode: ShutdownMode = .draining) async {
    await supervisor.shutdown(mode)
  }

  /// What ``HTTPClient/shutdown(_:)`` does with calls under way.
  public enum ShutdownMode: Sendable, Hashable {
    /// They finish, within their time limits.
    case draining
    /// They are cancelled.
    case cancelling
  }
}

extension HTTPClient {
  /// One call: encode, send, and whatever `finish` makes of the response; with events, and errors made complete.
  private func call<R: APIRequest, Result>(
    _ request: R, delivery: RequestContext.Delivery, finish: (HTTPResponse, URL) async throws -> Result
  ) async throws -> Result {
    let started = configuration.timeSource.elapsed
    let events = EventEmitter(
      call: callNumber.add(1, ordering: .relaxed).newValue, observers: configuration.observers)
    let name = request.endpointName
    var wireRequest: HTTPRequest?
    do {
      try Task.checkCancellation()
      let encoded = try HTTPRequest(encoding: request, for: configuration)
      wireRequest = encoded
      let timeout = request.timeout ?? configuration.timeout
      guard timeout > .zero else {
        throw APIError.invalidRequest("A time limit of \(timeout) leaves no time: give one above zero.")
      }
      let context = RequestContext(
        endpointName: name, deadline: started + timeout, delivery: delivery, cacheMode: request.cacheMode,
        events: events)
      var response = try await pipeline.send(encoded, context: context)
      response.info.duration = configuration.timeSource.elapsed - started
      let result = try await finish(response, response.url ?? encoded.url)
      events.emit(
        .finished(nil, after: configuration.timeSource.elapsed - started), endpointName: name,
        attempt: response.info.attempts)
      return result
    } catch {
      let error = Task.isCancelled ? CancellationError() : complete(error, request: wireRequest, name: name)
      events.emit(
        .finished(error, after: configuration.timeSource.elapsed - started), endpointName: name,
        attempt: (error as? APIError)?.attempts ?? 1)
      throw error
    }
  }

  private func decode<R: APIRequest>(_ request: R, from response: CollectedResponse) throws -> R.Response {
    do {
      return try request.decode(response, coders: configuration.coders)
    } catch {
      var failure =
        error as? APIError
        ?? .decoding(DecodingFailure(error, of: R.Response.self, in: response.body), underlying: error)
      failure.response = failure.response ?? APIError.FailedResponse(response, message: nil)
      throw failure
    }
  }

  /// `error` with the call it belongs to, when it is an ``APIError``; else as it is.
  private func complete(_ error: any Error, request: HTTPRequest?, name: String) -> any Error {
    guard var failure = error as? APIError else { return error }
    if let request, failure.request == nil {
      failure.request = APIError.FailedRequest(
        endpointName: name, method: request.method, url: Redactor.standard.redact(request.url))
    }
    return failure
  }
}
