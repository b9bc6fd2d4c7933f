import Foundation
import NetCore
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request on its way through a session, and the source of its response's body.
///
/// The session's callbacks change the state, and one reader waits for what it needs of it: first the head, then bytes.
final class Exchange: HTTPBodySource {
  /// The request.
  let request: URLRequest
  /// The file that is the request's body, when it is one.
  let bodyFile: URL?
  private let method: HTTPRequest.Method
  private let session: ManagedSession
  private let limit: BufferLimit
  /// The task.
  let gate = TaskGate()
  private let state = Mutex(State())

  /// How many bytes may wait in memory.
  enum BufferLimit {
    /// So many of a body that is gathered as a whole.
    case whole(Int)
    /// So many that nobody has read yet.
    case unread(Int)
  }

  fileprivate enum Need {
    case head
    case wholeBody(upTo: Int)
    case bytes
  }

  fileprivate struct State {
    var head: ResponseHead?
    /// What came and was not read yet.
    var unread: ArraySlice<Data> = []
    var unreadCount = 0
    var receivedCount: Int64 = 0
    /// How the exchange ended.
    var end: Result<Void, any Error>?
    var isChallengeRefused = false
    var waiter: (need: Need, continuation: CheckedContinuation<Void, Never>)?

    func meets(_ need: Need) -> Bool {
      if end != nil { return true }
      return switch need {
      case .head: head != nil
      case .wholeBody(let limit): unreadCount > limit || (head?.bodyLength ?? 0) > Int64(limit)
      case .bytes: unreadCount > 0
      }
    }

    /// Ends the exchange, unless it has ended.
    mutating func finish(_ result: Result<Void, any Error>) {
      if end == nil { end = result }
    }
  }

  init(
    _ request: URLRequest, method: HTTPRequest.Method, bodyFile: URL?, session: ManagedSession, limit: BufferLimit
  ) {
    self.request = request
    self.method = method
    self.bodyFile = bodyFile
    self.session = session
    self.limit = limit
  }

  /// Sends the request and waits for the response.
  ///
  /// A body that is wanted as a whole is gathered here, without a hop between tasks for each chunk.
  func response() async throws -> HTTPResponse {
    session.start(self)
    switch limit {
    case .unread:
      await wait(for: .head)
      return try openResponse()
    case .whole(let limit):
      await wait(for: .wholeBody(upTo: limit))
      if let response = wholeResponse(upTo: limit) { return response }
      // Cut short or too large: the reading says so.
      return try await openResponse().collectingBody(upTo: limit)
    }
  }

  private func openResponse() throws -> HTTPResponse {
    let (head, end) = state.withLock { ($0.head, $0.end) }
    if case .failure(let error) = end, head == nil || error is CancellationError { throw error }
    guard let head else { throw APIError.transport(.malformed) }
    return HTTPResponse(
      status: head.status, fields: head.fields, body: HTTPResponse.Body(length: head.bodyLength, source: self))
  }

  private func wholeResponse(upTo limit: Int) -> HTTPResponse? {
    let whole = state.withLock { state -> (head: ResponseHead, chunks: ArraySlice<Data>)? in
      guard let head = state.head, case .success = state.end, state.unreadCount <= limit else { return nil }
      return (head, state.takeAll())
    }
    return whole.map { head, chunks in
      HTTPResponse(status: head.status, fields: head.fields, body: HTTPResponse.Body(Data(joining: chunks)))
    }
  }
}

// MARK: - The reader's side

extension Exchange {
  var trailers: HTTPFields { [:] }

  func next() async throws -> Data? {
    try Task.checkCancellation()
    await wait(for: .bytes)
    #if canImport(Darwin)
    defer { session.adjustFlow(of: self) }
    #endif
    return try state.withLock { state in
      if case .failure(let error) = state.end, error is CancellationError || state.unread.isEmpty { throw error }
      return state.takeChunk()
    }
  }

  func cancel() {
    change { $0.finish(.failure(CancellationError())) }
    session.cancel(self)
  }

  private func wait(for need: Need) async {
    guard !state.withLock({ $0.meets(need) }) else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isMet = state.withLock { state in
          let isMet = state.meets(need)
          if !isMet { state.waiter = (need, continuation) }
          return isMet
        }
        if isMet { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Changes the state, and wakes the reader when that brought what it waits for.
  private func change(_ body: (inout State) -> Void) {
    let ready = state.withLock { state in
      body(&state)
      guard let waiter = state.waiter, state.meets(waiter.need) else {
        return nil as CheckedContinuation<Void, Never>?
      }
      state.waiter = nil
      return waiter.continuation
    }
    ready?.resume()
  }
}

// MARK: - The session's side

extension Exchange {
  /// Whether the exchange has not ended.
  var isOpen: Bool {
    state.withLock { $0.end == nil }
  }

  func receive(_ response: URLResponse) {
    guard let head = ResponseHead(response, to: method) else { return fail(APIError.notHTTP) }
    // Another response follows an interim one (RFC 9110, section 15.2).
    guard head.status.kind != .informational else { return }
    session.noteAnswer(from: request.url)
    change { $0.head = head }
  }

  func receive(_ data: Data) {
    var isTooMuch = false
    change { state in
      guard state.end == nil, !state.isTooLarge(limit) else { return }
      state.append(data)
      isTooMuch = state.isOver(limit)
    }
    if isTooMuch { holdBack() }
  }

  func refuseChallenge() {
    state.withLock { $0.isChallengeRefused = true }
  }

  func end(_ error: (any Error)?) {
    let response = gate.end()?.response
    let mayBeSecondConnection = error != nil && session.mayKeepConnection(to: request.url)
    change { state in
      if state.head == nil, error == nil {
        // On Linux a redirect without a Location is not announced, and its body is lost.
        state.head = response.flatMap { ResponseHead($0, to: .head) }
      }
      state.finish(state.result(of: error, mayBeSecondConnection: mayBeSecondConnection))
    }
  }

  private func fail(_ error: APIError) {
    change { state in
      _ = state.takeAll()
      state.finish(.failure(error))
    }
    session.cancel(self)
  }

  /// Stops receiving: for good when the body is too large to be gathered, else until the reader has caught up.
  private func holdBack() {
    guard case .unread = limit else { return session.cancel(self) }
    #if canImport(Darwin)
    session.adjustFlow(of: self)
    #else
    // A task on Linux cannot be slowed down: suspended, it would begin again.
    fail(
      APIError(
        .tooLarge,
        reason: "The response came faster than it was read, and more bytes waited than maximumUnreadBytes allows: "
          + "raise that limit, or use a transport with back-pressure (URLSession has none on Linux)."))
    #endif
  }

  #if canImport(Darwin)
  // Not built by this project's CI, which runs on Linux.
  /// Lets the task receive while the reader keeps up.
  func adjustFlow() {
    gate.setSuspended(state.withLock { $0.isOver(limit) })
  }
  #endif
}

extension Exchange.State {
  fileprivate mutating func append(_ data: Data) {
    unread.append(data)
    unreadCount += data.count
    receivedCount += Int64(data.count)
  }

  /// The oldest chunk that was not read yet.
  fileprivate mutating func takeChunk() -> Data? {
    let chunk = unread.popFirst()
    unreadCount -= chunk?.count ?? 0
    return chunk
  }

  /// All that was not read yet.
  fileprivate mutating func takeAll() -> ArraySlice<Data> {
    defer { (unread, unreadCount) = ([], 0) }
    return unread
  }

  /// Whether the body has more bytes than are wanted: the reader knows, and the task is being cancelled.
  fileprivate func isTooLarge(_ limit: Exchange.BufferLimit) -> Bool {
    if case .whole(let limit) = limit { unreadCount > limit } else { false }
  }

  /// Whether more bytes are in memory than may be.
  fileprivate func isOver(_ limit: Exchange.BufferLimit) -> Bool {
    switch limit {
    case .whole(let limit): unreadCount > limit
    case .unread(let limit): unreadCount > limit && waiter == nil
    }
  }

  /// How the exchange ended, by what the session says at its end.
  fileprivate func result(of error: (any Error)?, mayBeSecondConnection: Bool) -> Result<Void, any Error> {
    let wasChallenged = isChallengeRefused && head != nil && (error as? URLError)?.code == .cancelled
    if let error, !wasChallenged {
      let failure = APIError(
        sessionError: error, afterHead: head != nil, mayBeSecondConnection: mayBeSecondConnection)
      return .failure(failure)
    }
    guard let head else { return .failure(APIError.transport(.malformed)) }
    guard head.bodyLength.map({ $0 <= receivedCount }) ?? true else {
      return .failure(APIError.transport(.truncated))
    }
    return .success(())
  }
}

extension Data {
  fileprivate init(joining chunks: ArraySlice<Data>) {
    self = chunks.first ?? Data()
    guard chunks.count > 1 else { return }
    reserveCapacity(chunks.reduce(0) { $0 + $1.count })
    for chunk in chunks.dropFirst() { append(chunk) }
  }
}
