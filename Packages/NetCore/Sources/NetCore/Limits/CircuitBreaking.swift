/// Counts the exchanges of each host and lets none begin while its circuit is open.
struct CircuitBreaking: HTTPMiddleware, Interruptible {
  let circuits: Circuits
  let timeSource: TimeSource

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let origin = Origin(request.url)
    let ticket = try await context.rejecting { try circuits.enter(origin, context) }
    do {
      var response = try await next.send(request, context: context)
      let verdict = circuits.settings.verdict(on: .success(response))
      // A probe is judged by the head of its response: a stream of hours must not keep the circuit half open.
      if verdict == .failure || ticket.isProbe || response.body.bufferedBytes != nil {
        circuits.leave(origin, ticket, verdict, context)
      } else {
        response.body = response.body.onEnd { [circuits] error in
          let verdict = error.map { circuits.settings.verdict(on: .failure($0)) } ?? verdict
          circuits.leave(origin, ticket, verdict, context)
        }
      }
      return response
    } catch {
      circuits.leave(origin, ticket, verdict(on: error, context), context)
      throw error
    }
  }

  /// The call's time limit ends an exchange by a cancellation, too; but then it is the host that took too long.
  private func verdict(on error: any Error, _ context: RequestContext) -> CircuitBreaker.Verdict {
    let isLate = error is CancellationError && context.deadline.map { $0 <= timeSource.elapsed } ?? false
    return circuits.settings.verdict(on: .failure(isLate ? APIError.timedOut(.total) : error))
  }
}

/// Rejects what an open circuit would reject before it waits for anything.
struct CircuitGate: HTTPMiddleware, Interruptible {
  let circuits: Circuits

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    try await context.rejecting { try circuits.check(Origin(request.url)) }
    return try await next.send(request, context: context)
  }
}

extension CircuitBreaking: CustomStringConvertible {
  var description: String { "circuit breaker: \(circuits.settings)" }
}

extension CircuitGate: CustomStringConvertible {
  var description: String { "circuit gate: an open circuit rejects before any wait" }
}

extension CircuitBreaker: CustomStringConvertible {
  /// The settings on one line: `opens at 50 % failures of 20 calls or more in 30 s, for 15 s, then 1 probe`.
  public var description: String {
    let share = Int((min(max(0, failureShare), 1) * 100).rounded())
    return "opens at \(share) % failures of \(minimumCalls) calls or more in \(window.inUnits), "
      + "for \(openTime.inUnits), then \(probes == 1 ? "1 probe" : "\(probes) probes")"
  }
}
