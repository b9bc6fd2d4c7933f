import Dispatch
import Foundation

#if canImport(Darwin)
typealias CallbackQueue = OperationQueue
#else
/// A serial operation queue that hands blocks straight to Dispatch.
///
/// A session on Linux reads as fast as the server sends and adds an operation for each 16 KB, which waits in memory. An
/// ordinary queue takes longer for an operation than libcurl does for its bytes; this one keeps pace.
///
/// `@unchecked` restates what the superclass declares: the only property of its own is constant and `Sendable`.
final class CallbackQueue: OperationQueue, @unchecked Sendable {
  private let serial = DispatchQueue(label: "NetURLSession.callbacks")

  override func addOperation(_ block: @escaping @Sendable () -> Void) {
    serial.async(execute: block)
  }
}
#endif
