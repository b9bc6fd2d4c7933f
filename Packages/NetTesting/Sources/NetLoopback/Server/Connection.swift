import NetCore

/// Serves one connection: takes its requests in order and answers each.
struct Connection: Sendable {
  /// The most bytes of an unread body that are skipped to keep a connection.
  private static let skipLimit = 256 << 10

  private let channel: Channel
  private let core: ServerCore
  private let handler: LoopbackServer.Handler
  private let reader: RequestReader

  init(channel: Channel, core: ServerCore, handler: @escaping LoopbackServer.Handler) {
    self.channel = channel
    self.core = core
    self.handler = handler
    reader = RequestReader(channel: channel, limits: core.configuration)
  }

  private var configuration: LoopbackServer.Configuration { core.configuration }

  private var date: String? { configuration.sendsDate ? core.date.now : nil }

  private var writer: ResponseWriter {
    ResponseWriter(channel: channel, sendIdleTime: configuration.sendIdleTime)
  }

  /// Serves until either side ends the connection, and closes it.
  func serve() async {
    do {
      while let head = try await reader.nextHead() {
        core.requestBegan()
        defer { core.requestEnded() }
        if let closing = try await answer(LoopbackRequest(head, reader: reader)) { return channel.close(closing) }
      }
      channel.close(.immediate)
    } catch let error as LoopbackError {
      await refuse(error)
      channel.close(.orderly)
    } catch Channel.Failure.timedOut {
      channel.close(.reset)
    } catch {
      channel.close(.immediate)
    }
  }

  /// Answers one request. Returns how the connection is to be closed, or `nil` when it can take the next.
  private func answer(_ request: LoopbackRequest) async throws -> Channel.Closing? {
    let response = try await respond(to: request)
    do {
      let keepsConnection =
        if let script = response.script {
          try await run(script)
        } else {
          try await send(response, to: request)
        }
      guard keepsConnection, await reader.skipBody(upTo: Self.skipLimit) else { return .orderly }
      return nil
    } catch ResponseWriter.Break.fault(let ending) {
      return await closing(after: ending)
    }
  }

  /// Takes a script's steps. Returns whether the connection can be kept.
  private func run(_ script: LoopbackResponse.Script) async throws -> Bool {
    let refusesBody = reader.takeContinue()
    try await writer.run(script.steps)
    return script.keepsConnection && !refusesBody
  }

  /// Sends a response. Returns whether the connection can be kept.
  private func send(_ response: LoopbackResponse, to request: LoopbackRequest) async throws -> Bool {
    // Content that is made while it is sent may be made of the request's: then the client must not wait.
    if case .stream = response.body.content { try await reader.askForBody() }
    let refusesBody = reader.takeContinue()
    let keepsConnection = request.wantsKeepAlive && !refusesBody && !reader.isBroken && !channel.isDraining
    let (response, head) = try sendable(response, to: request, keepsConnection: keepsConnection)
    do {
      try await writer.send(response, head: head)
    } catch ResponseWriter.Break.failedContent(let error) {
      report(error, request)
      // Where the content ends with the connection, only a reset shows that it is not whole.
      throw ResponseWriter.Break.fault(head.framing == .untilClose ? .reset : .close)
    }
    return head.keepsConnection
  }

  /// The handler's response, or one that says why there is none.
  private func respond(to request: LoopbackRequest) async throws -> LoopbackResponse {
    do {
      return try await handler(request)
    } catch let error as LoopbackError {
      return .problem(error.status, detail: error.detail)
    } catch let error as MultipartError {
      return .problem(error.isTooLarge ? .contentTooLarge : .badRequest, detail: error.reason)
    } catch {
      try Task.checkCancellation()
      report(error, request)
      return .problem(.internalServerError)
    }
  }

  /// The response with its head; one that cannot be sent as it is becomes a 500.
  private func sendable(
    _ response: LoopbackResponse, to request: LoopbackRequest, keepsConnection: Bool
  ) throws -> (LoopbackResponse, ResponseHead) {
    let makeHead = { (response: LoopbackResponse) in
      try ResponseHead(
        response, method: request.method, version: request.version, keepsConnection: keepsConnection, date: date)
    }
    do {
      return (response, try makeHead(response))
    } catch {
      report(error, request)
      let problem = LoopbackResponse.problem(.internalServerError)
      return (problem, try makeHead(problem))
    }
  }

  private func report(_ error: any Error, _ request: LoopbackRequest) {
    guard !Task.isCancelled else { return }
    configuration.onHandlerFailure?(error, request)
  }

  /// Answers what is no request, as far as the client takes it.
  private func refuse(_ error: LoopbackError) async {
    let response = LoopbackResponse.problem(error.status, detail: error.detail)
    guard let head = try? ResponseHead(response, keepsConnection: false, date: date) else { return }
    try? await writer.send(response, head: head)
  }

  private func closing(after ending: LoopbackResponse.Fault.Ending) async -> Channel.Closing {
    switch ending {
    case .close: return .orderly
    case .reset: return .reset
    case .stall:
      await channel.discardUntilPeerEnds()
      return .immediate
    }
  }
}
