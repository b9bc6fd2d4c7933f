import Synchronization

@testable import NetCore

/// A server with so many places: a request waits for one, and holds it until its response's body has ended or was dropped.
final class Places: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) {
    state = Mutex(State(free: count))
  }

  /// `transport`, whose requests each take a place.
  func limiting(_ transport: any HTTPTransport) -> any HTTPTransport {
    Limited(places: self, transport: transport)
  }

  fileprivate func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free == 0 { state.waiting.append(continuation) } else { state.free -= 1 }
        return state.waiting.isEmpty
      }
      if isFree { continuation.resume() }
    }
  }

  fileprivate func giveBack() {
    state.withLock { state in
      if state.waiting.isEmpty { state.free += 1 }
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }?.resume()
  }

  private struct Limited: HTTPTransport {
    let places: Places
    let transport: any HTTPTransport

    func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
      await places.take()
      do {
        var response = try await transport.send(request, context: context)
        if response.body.bufferedBytes == nil {
          response.body = response.body.onEnd { _ in places.giveBack() }
        } else {
          places.giveBack()
        }
        return response
      } catch {
        places.giveBack()
        throw error
      }
    }
  }
}
