import NetCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the requests of one connection: heads for the connection, bodies for whoever handles the request.
final class RequestReader: Sendable {
  private struct State {
    var parser: RequestParser
    /// The request whose body may be read, from 1.
    var request = 0
    var isBodyComplete = true
    var trailers: HTTPFields = [:]
    var bodyDeadline: ContinuousClock.Instant?
    /// Whether the client waits to be told to send the body.
    var owesContinue = false
    var isReading = false
  }

  let channel: Channel
  private let limits: LoopbackServer.Configuration
  private let clock = ContinuousClock()
  private let state: Mutex<State>

  init(channel: Channel, limits: LoopbackServer.Configuration) {
    self.channel = channel
    self.limits = limits
    state = Mutex(State(parser: RequestParser(limits: limits)))
  }

  /// The head of the next request; `nil` when there will be none.
  ///
  /// - Throws: ``LoopbackError`` for a malformed or overdue one; ``Channel/Failure`` when the connection is gone.
  func nextHead() async throws -> RequestHead? {
    var headDeadline = firstDeadline()
    while true {
      let (event, isBetween) = try state.withLock { state throws(LoopbackError) in
        (try state.parser.next(), state.parser.isBetweenRequests)
      }
      if case .head(let head) = event { return begin(head) }
      if !isBetween, headDeadline == nil { headDeadline = clock.now + limits.headTime }
      guard let bytes = try await readHead(until: headDeadline, isIdle: isBetween) else {
        if isBetween { return nil }
        throw LoopbackError.badRequest("The connection ended inside the head of a request.")
      }
      state.withLock { $0.parser.append(bytes) }
    }
  }

  /// The first head has its time from the connection's start, later ones from their first byte.
  private func firstDeadline() -> ContinuousClock.Instant? {
    state.withLock { $0.request == 0 } ? clock.now + limits.headTime : nil
  }

  private func readHead(until deadline: ContinuousClock.Instant?, isIdle: Bool) async throws -> [UInt8]? {
    do {
      return try await channel.read(until: deadline ?? clock.now + limits.keepAliveTime, isIdle: isIdle)
    } catch Channel.Failure.timedOut {
      if isIdle { return nil }
      throw LoopbackError(.requestTimeout, "The head of the request did not come in time.")
    }
  }

  private func begin(_ head: RequestHead) -> RequestHead {
    state.withLock { state in
      state.request += 1
      state.isBodyComplete = false
      state.trailers = [:]
      state.bodyDeadline = nil
      state.owesContinue = head.expectsContinue
    }
    return head
  }

  /// Which request is being read, from 1.
  var request: Int { state.withLock { $0.request } }

  /// The trailer fields of a request whose body has been read to its end.
  func trailers(of request: Int) -> HTTPFields {
    state.withLock { $0.request == request && $0.isBodyComplete ? $0.trailers : [:] }
  }

  /// The next chunk of a request's body; `nil` at its end.
  func nextChunk(of request: Int) async throws -> Data? {
    try beginReading(request)
    defer { state.withLock { $0.isReading = false } }
    try await askForBody()
    while true {
      let (event, isComplete) = try state.withLock { state throws(LoopbackError) in
        guard !state.isBodyComplete else { return (RequestParser.Event?.none, true) }
        let event = try state.parser.next()
        if case .end(let trailers) = event { (state.isBodyComplete, state.trailers) = (true, trailers) }
        return (event, state.isBodyComplete)
      }
      if isComplete { return nil }
      if case .body(let bytes) = event { return bytes }
      let bytes = try await readBody()
      state.withLock { $0.parser.append(bytes) }
    }
  }

  /// Takes the right to read.
  private func beginReading(_ request: Int) throws(LoopbackError) {
    try state.withLock { state throws(LoopbackError) in
      guard state.request == request else {
        throw LoopbackError(.internalServerError, "The request was answered: its content can no longer be read.")
      }
      guard !state.isReading else {
        throw LoopbackError(.internalServerError, "Two tasks read the content of one request at the same time.")
      }
      state.isReading = true
    }
  }

  /// Tells the client to send the body, if it waits to be told.
  func askForBody() async throws {
    guard takeContinue() else { return }
    do {
      try await channel.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), limit: limits.sendIdleTime)
    } catch {
      throw LoopbackError.badRequest("The client left before it sent the content.")
    }
  }

  private func readBody() async throws -> [UInt8] {
    let now = clock.now
    let deadline = state.withLock { state in
      let end = state.bodyDeadline ?? now + limits.bodyTime
      state.bodyDeadline = end
      return min(end, now + limits.bodyIdleTime)
    }
    do {
      if let bytes = try await channel.read(until: deadline) { return bytes }
    } catch Channel.Failure.timedOut {
      throw LoopbackError(.requestTimeout, "The content of the request stopped coming.")
    } catch Channel.Failure.closed {}
    throw LoopbackError.badRequest("The connection ended inside the content of the request.")
  }
}

// MARK: - The end of a request

extension RequestReader {
  /// Whether the client waits to be told to send its body. Asked once: who asks tells it, or nobody does.
  func takeContinue() -> Bool {
    state.withLock { state in
      defer { state.owesContinue = false }
      return state.owesContinue
    }
  }

  /// Whether the request was malformed, so that nothing more can be read.
  var isBroken: Bool { state.withLock { $0.parser.failure != nil } }

  /// Skips what the handler left of the body, so that the connection can take the next request. `false` when that is
  /// too much, or malformed, or somebody still reads.
  func skipBody(upTo limit: Int) async -> Bool {
    let request = request
    var skipped = 0
    do {
      while let chunk = try await nextChunk(of: request) {
        skipped += chunk.count
        if skipped > limit { return false }
      }
      return true
    } catch {
      return false
    }
  }
}
