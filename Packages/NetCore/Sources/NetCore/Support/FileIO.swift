import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Files by POSIX calls, off the cooperative thread pool: a slow disk blocks a thread of Dispatch's instead.
enum FileIO {
  /// The length of the regular file at `path`, in bytes.
  static func length(ofFileAt path: String) throws -> Int64 {
    var info = stat()
    guard stat(path, &info) == 0 else { throw failure("read", path) }
    guard info.st_mode & S_IFMT == S_IFREG else {
      throw APIError.invalidRequest("\(path) is not a regular file: only those can be a body.")
    }
    return Int64(info.st_size)
  }

  /// Up to `count` bytes at `offset` of the file at `path`; fewer only at its end.
  static func read(_ path: String, at offset: Int64, count: Int) async throws -> Data {
    try await perform { try readNow(path, at: offset, count: count) }
  }

  /// Does `work` on a thread of Dispatch's. It is not cancelled.
  static func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
  }

  static func readNow(_ path: String, at offset: Int64, count: Int) throws -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("read", path) }
    defer { close(descriptor) }
    var bytes = Data(count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw failure("read", path) }
      guard got > 0 else { break }
      filled += got
    }
    return bytes.prefix(filled)
  }

  static func failure(_ verb: String, _ path: String) -> APIError {
    .invalidRequest("Could not \(verb) the file \(path): \(String(cString: strerror(errno))).")
  }
}

/// Reads a file front to back in chunks of 256 KiB.
final class FileReader: Sendable {
  private let path: String
  private let length: Int64
  private let offset = Mutex<Int64>(0)

  init(path: String, length: Int64) {
    self.path = path
    self.length = length
  }

  /// The next chunk; `nil` at the length the file had when the body was made.
  func next() async throws -> Data? {
    let start = offset.withLock { $0 }
    guard start < length else {
      guard try FileIO.length(ofFileAt: path) == length else { throw changed("longer") }
      return nil
    }
    let count = Int(min(length - start, 256 << 10))
    let chunk = try await FileIO.read(path, at: start, count: count)
    guard chunk.count == count else { throw changed("shorter") }
    offset.withLock { $0 = start + Int64(count) }
    return chunk
  }

  /// A part of the file may have been sent by then.
  private func changed(_ how: String) -> APIError {
    APIError(
      .invalidRequest, reason: "The file \(path) became \(how) while it was sent: send it again when it is at rest.",
      mayHaveReachedServer: true)
  }
}
