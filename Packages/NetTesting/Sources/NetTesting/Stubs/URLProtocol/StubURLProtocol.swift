import Foundation
import NetCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers every request of a session from the stubs that its specialisation belongs to.
///
/// A session calls both methods on the queue of its callbacks. A suspended task stops, and starts again when it is resumed.
final class StubURLProtocol<Digits: BinaryDigits>: URLProtocol {
  private var loading: StubLoading?

  /// Every request, so that none reaches a network.
  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    // A task that was suspended and resumed while it ended is started once more.
    if loading?.isOver == true { return }
    loading = StubLoading(self, route: StubRoutes.route(of: Self.self))
    loading?.start()
  }

  override func stopLoading() {
    loading?.stop()
    loading = nil
  }
}
