import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Turns the first SIGINT (Ctrl-C), or another signal, into a call of `handle`; a second one ends the process at once.
struct Interruption {
  private let source: any DispatchSourceSignal

  init(_ number: Int32 = SIGINT, _ handle: @escaping @Sendable () -> Void) {
    signal(number, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
      signal(number, SIG_DFL)
      handle()
    }
    source.resume()
  }

  /// Watches no longer.
  func end() {
    source.cancel()
  }
}
