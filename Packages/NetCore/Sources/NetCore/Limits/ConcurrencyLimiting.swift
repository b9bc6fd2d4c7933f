/// Has a place for each attempt, until its exchange has ended.
struct ConcurrencyLimiting: HTTPMiddleware, Interruptible {
  let places: Places
  private let timeSource: TimeSource

  init(limit: ConcurrencyLimit, timeSource: TimeSource) {
    places = Places(limit)
    self.timeSource = timeSource
  }

  func intercept(
    _ request: HTTPRequest, context: RequestContext, next: any HTTPTransport
  ) async throws -> HTTPResponse {
    let origin = Origin(request.url)
    try await context.rejecting {
      guard let turn = try places.take(origin) else { return }
      try await context.reportingWait(timeSource) {
        try await context.interruptible { [places] in try await places.wait(for: turn) }
      }
    }
    do {
      var response = try await next.send(request, context: context)
      if response.body.bufferedBytes == nil {
        response.body = response.body.onEnd { [places] _ in places.giveBack(origin) }
      } else {
        places.giveBack(origin)
      }
      return response
    } catch {
      places.giveBack(origin)
      throw error
    }
  }
}

extension ConcurrencyLimiting: CustomStringConvertible {
  var description: String { "concurrency: \(places.limit)" }
}

extension ConcurrencyLimit: CustomStringConvertible {
  /// The settings on one line: `6 at a time to a host, 20 in all, 1000 may wait`.
  public var description: String {
    let parts = [perHost.map { "\($0) at a time to a host" }, total.map { "\($0) in all" }, "\(queue) may wait"]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}
