/// Lets equal calls at the same time share one exchange.
///
/// Only collected answers to `GET` and `HEAD` are shared, and only between calls that are equal in all that may change the
/// answer (``FlightKey``). Each caller keeps its own decoding, time limit and cancellation.
struct Coalescing: HTTPMiddleware, Interruptible {
  private let flights = Flights()

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    guard let key = FlightKey(request, context) else { return try await next.send(request, context: context) }
    return try await flights.join(key, for: context) { deadline in
      var shared = context
      shared.flightDeadline = deadline
      // It ends when its last caller has left, not with the first.
      shared.interruption = nil
      return try await next.send(request, context: shared)
    } onJoining: {
      context.report(.coalesced)
    }
  }
}

extension Coalescing: CustomStringConvertible {
  var description: String { "coalesce: equal GET and HEAD calls share one exchange" }
}
