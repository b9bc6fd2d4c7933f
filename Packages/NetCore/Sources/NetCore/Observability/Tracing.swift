#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes calls a part of distributed traces (W3C Trace Context): each attempt is sent with a `traceparent`, and a
/// `tracestate` when there is one.
///
///     configuration.tracing = Tracing()
///
/// A call belongs to ``TraceContext/current``, or else begins a trace. Each of its attempts has a span of its own, below the
/// call's. A request that has a `traceparent` already keeps it. Events and log lines have the trace's identifier, also when
/// it is sent to nobody.
public struct Tracing: Sendable {
  /// Who is told: the scheme, host and port of these URLs. Default: `nil`, those of the client's base URL.
  public var origins: [URL]?
  /// How many of the traces that begin here are sampled, from 0 to 1. Default: 1, all. Others are sampled as their beginner
  /// decided.
  public var sampledShare: Double
  /// Gives identifiers: any 64 bits. Default: the system's generator.
  public var identifier: @Sendable () -> UInt64

  /// Settings for tracing.
  public init(
    origins: [URL]? = nil, sampledShare: Double = 1,
    identifier: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.origins = origins
    self.sampledShare = sampledShare
    self.identifier = identifier
  }

  /// The place of a call that begins now.
  func begin() -> TraceContext {
    TraceContext.current?.child(identifier: identifier)
      ?? TraceContext(sampling: sampledShare, identifier: identifier)
  }
}

/// Gives each attempt a span, and tells the server.
struct TracePropagation: HTTPMiddleware, Interruptible {
  private let identifier: @Sendable () -> UInt64
  private let origins: CredentialOrigins

  init(_ tracing: Tracing, baseURL: URL) {
    identifier = tracing.identifier
    origins = CredentialOrigins(tracing.origins ?? [baseURL])
  }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard let trace = context.trace?.child(identifier: identifier) else {
      return try await next.send(request, context: context)
    }
    var (request, context) = (request, context)
    context.trace = trace
    if origins.allow(request, setting: .traceparent) {
      request.fields[.traceparent] = trace.traceparent
      request.fields[.tracestate] = trace.tracestate
    }
    return try await next.send(request, context: context)
  }
}

extension TracePropagation: CustomStringConvertible {
  var description: String { "trace: traceparent to \(origins)" }
}
