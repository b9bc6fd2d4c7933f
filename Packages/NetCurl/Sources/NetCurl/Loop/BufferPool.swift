import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Memory for bodies, kept for the next one: fresh pages cost more than the copying into them.
///
/// Buffers of 16 KiB to 512 KiB are kept, in powers of two, and never more than 4 MiB of them; others are freed at once.
final class BufferPool: Sendable {
  private struct State {
    /// Addresses by the power of two of their size.
    var spare: [[UInt]] = Array(repeating: [], count: largestPower + 1)
    var spareSize = 0
  }

  private static let smallestPower = 14
  private static let largestPower = 19
  private static let maximumSpareSize = 4 << 20

  private let state = Mutex(State())

  deinit {
    state.withLock { state in
      for address in state.spare.joined() { free(UnsafeMutableRawPointer(bitPattern: address)) }
    }
  }

  /// Memory for `size` bytes or more, and how many they are.
  func take(_ size: Int) -> (start: UnsafeMutableRawPointer, capacity: Int) {
    guard let power = Self.power(for: size) else { return (Self.allocate(size), size) }
    let address = state.withLock { state -> UInt? in
      guard let address = state.spare[power].popLast() else { return nil }
      state.spareSize -= 1 << power
      return address
    }
    return (address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? Self.allocate(1 << power), 1 << power)
  }

  /// Gives back what ``take(_:)`` gave.
  func give(_ start: UnsafeMutableRawPointer, capacity: Int) {
    let isKept = state.withLock { state in
      guard let power = Self.power(for: capacity), capacity == 1 << power,
        state.spareSize + capacity <= Self.maximumSpareSize
      else { return false }
      state.spare[power].append(UInt(bitPattern: start))
      state.spareSize += capacity
      return true
    }
    if !isKept { free(start) }
  }

  private static func power(for size: Int) -> Int? {
    guard size > 4 << 10, size <= 1 << largestPower else { return nil }
    return max(smallestPower, Int.bitWidth - (size - 1).leadingZeroBitCount)
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    guard let start = malloc(size) else { fatalError("out of memory") }
    return start
  }
}
