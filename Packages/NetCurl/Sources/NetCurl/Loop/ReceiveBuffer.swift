#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes received and not handed over yet. Handing them over copies nothing.
struct ReceiveBuffer: ~Copyable {
  private let pool: BufferPool
  private var start: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0

  init(pool: BufferPool) {
    self.pool = pool
  }

  deinit {
    if let start { pool.give(start, capacity: capacity) }
  }

  /// Appends `bytes`. `expected` is how many will come in all, so that memory for them is taken once.
  mutating func append(_ bytes: UnsafeRawBufferPointer, expecting expected: Int) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    let needed = count + bytes.count
    if needed > capacity { grow(to: max(needed, start == nil ? expected : 2 * capacity)) }
    memcpy(start! + count, source, bytes.count)
    count = needed
  }

  private mutating func grow(to size: Int) {
    let old = (start: start, capacity: capacity)
    let new = pool.take(size)
    (start, capacity) = new
    guard let oldStart = old.start else { return }
    memcpy(new.start, oldStart, count)
    pool.give(oldStart, capacity: old.capacity)
  }

  /// All bytes, which are then the caller's; their memory comes back when they are dropped.
  mutating func take() -> Data {
    guard let start, count > 0 else { return Data() }
    defer { forget() }
    return Data(
      bytesNoCopy: start, count: count,
      deallocator: .custom { [pool, capacity] start, _ in pool.give(start, capacity: capacity) })
  }

  /// Drops the bytes.
  mutating func clear() {
    if let start { pool.give(start, capacity: capacity) }
    forget()
  }

  private mutating func forget() {
    start = nil
    (count, capacity) = (0, 0)
  }
}
