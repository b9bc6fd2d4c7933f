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

extension FileIO {
  /// All bytes of the file at `path`; `nil` when there is none.
  ///
  /// - Throws: ``APIError`` of kind `invalidRequest` when it cannot be read, or has more than `limit` bytes.
  static func contents(ofFileAt path: String, upTo limit: Int) async throws -> Data? {
    try await perform {
      guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
      let bytes = try readNow(path, at: 0, count: limit + 1)
      guard bytes.count <= limit else { throw APIError.invalidRequest("\(path) has more than \(limit) bytes.") }
      return bytes
    }
  }

  /// Puts `bytes` into the file at `path`, which only its owner may read, in one step: whoever reads it finds the old
  /// bytes or the new, also after a crash.
  static func replace(fileAt path: String, with bytes: Data) async throws {
    try await perform {
      let temporary = "\(path).\(getpid()).\(UInt64.random(in: .min ... .max))"
      do {
        try write(bytes, toNewFileAt: temporary)
        guard rename(temporary, path) == 0 else { throw failure("replace", path) }
      } catch {
        unlink(temporary)
        throw error
      }
      synchronizeFolder(of: path)
    }
  }

  /// Gives the file at `path` another name, in place of one that has it.
  static func move(fileAt path: String, to name: String) async throws {
    try await perform {
      guard rename(path, name) == 0 else { throw failure("set aside", path) }
      synchronizeFolder(of: path)
    }
  }

  /// Removes the file at `path`, if there is one.
  static func remove(fileAt path: String) async throws {
    try await perform {
      guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
      synchronizeFolder(of: path)
    }
  }

  /// Makes the folder in which the file at `path` is to be, and those around it, for their owner only; leaves those as
  /// they are that exist.
  static func makeFolder(forFileAt path: String) async throws {
    try await perform {
      let folders = path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
      for folder in folders where !folder.isEmpty && mkdir(folder, 0o700) != 0 && access(folder, F_OK) != 0 {
        throw failure("make the folder of", path)
      }
    }
  }

  private static func write(_ bytes: Data, toNewFileAt path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("write", path) }
    defer { close(descriptor) }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { platformWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure("write", path) }
      rest.removeFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw failure("write", path) }
  }

  /// Makes the new name last; a file system that cannot do that keeps the file all the same.
  static func synchronizeFolder(of path: String) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }
}

private func platformWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
