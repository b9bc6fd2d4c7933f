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
/// As it comes, a call has 30 seconds in total, collects at most 10 MB and follows redirects, with no credentials to another
/// origin. Nothing is repeated, shared, stored or logged until that is asked for in the ``Configuration``.
///
/// A call is part of its caller's task, but not of its actor: from the main actor, too, requests are encoded and answers decoded
/// elsewhere.
public final class HTTPClient: NetworkClient, HTTPStreaming {
  /// The settings.
  public let configuration: Configuration
  private let encoder: RequestEncoder
  let pipeline: any HTTPTransport
  private let supervisor: CallSupervisor

  /// A client with the given settings, over `transport`.
  public init(_ configuration: Configuration, transport: any HTTPTransport) {
    let supervisor = CallSupervisor(timeSource: configuration.timeSource)
    self.configuration = configuration
    self.supervisor = supervisor
    encoder = RequestEncoder(configuration)
    pipeline = Self.pipeline(configuration, supervisor: supervisor, transport: transport)
  }

  deinit {
    supervisor.cancelBackground()
  }

  /// A client with default settings, over `transport`.
  public convenience init(baseURL: URL, transport: any HTTPTransport) {
    self.init(Configuration(baseURL: baseURL), transport: transport)
  }

  /// Sends `request` and returns its value with the response it came in.
  ///
  /// - Throws: ``APIError``; `CancellationError` when the task was cancelled or ``shutdown(_:)`` cancelled the call; what
  ///   a middleware or validation of the caller's own throws, as it is.
  @concurrent
  public func reply<R: APIRequest>(to request: R) async throws -> Reply<R.Response> {
    try await call(request, delivery: .collected(upTo: configuration.maximumBodySize)) { response in
      let collected = CollectedResponse(
        status: response.status, fields: response.fields,
        body: try await response.body.collect(upTo: configuration.maximumBodySize), url: response.url)
      guard try (request.validation ?? configuration.validation).isSuccess(response) else {
        let message = configuration.serverMessage.message(in: collected, coders: configuration.coders)
        throw APIError.badStatus(collected, message: message)
      }
      return Reply(
        try decode(request, from: collected), status: response.status, fields: response.fields, url: response.url,
        info: response.info)
    }
  }

  /// Sends `request` and returns the response once its head is there.
  ///
  /// - Throws: As ``reply(to:)`` does, but no status is a failure.
  @concurrent
  public func open<R: APIRequest>(_ request: R) async throws -> HTTPResponse {
    try await call(request, delivery: .streaming) { $0 }
  }

  /// Ends the client: no new call starts, those under way finish or are cancelled, and it returns when the last has ended.
  ///
  /// What runs beside the calls, such as a cache's refresh, is cancelled in either mode.
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
  /// One call: encode, send, and whatever `finish` makes of the response.
  private func call<R: APIRequest, Result>(
    _ request: R, delivery: RequestContext.Delivery, finish: (HTTPResponse) async throws -> Result
  ) async throws -> Result {
    let number = supervisor.nextCallNumber()
    var call = Call(request.endpointName, number: number, configuration: configuration)
    do {
      try Task.checkCancellation()
      let encoded = try encoder.encode(request)
      let context = try call.context(
        for: request, as: encoded, timeout: request.timeout ?? configuration.timeout, delivery: delivery)
      var response = try await pipeline.send(encoded, context: context)
      call.received(&response)
      if case .streaming = delivery { call.endsWithBody(of: &response) }
      let result = try await finish(response)
      call.succeed()
      return result
    } catch {
      throw call.fail(error)
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
}
