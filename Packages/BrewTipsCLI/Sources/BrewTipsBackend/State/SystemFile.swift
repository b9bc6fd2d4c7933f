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

/// Private files by POSIX calls. They block: call them where that does no harm.
enum SystemFile {
  /// Makes a folder and those above it that are missing, for their owner alone.
  static func createFolder(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else { throw .last }
    try createFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
  }

  /// The first `limit` bytes of a regular file; `nil` when there is none.
  static func read(_ path: String, upTo limit: Int) throws(SystemError) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // not to wait for the other end of a named pipe
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .last
    }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw .last }
    guard info.st_mode & S_IFMT == S_IFREG else { throw SystemError("\(path) is not a regular file") }
    var buffer = [UInt8](repeating: 0, count: min(limit, max(0, Int(info.st_size))))
    var count = 0
    while count < buffer.count {
      let got = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress! + count, $0.count - count) }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw .last }
      if got == 0 { break }
      count += got
    }
    return Data(buffer.prefix(count))
  }

  /// Puts a file in the place of the one at `path` in one step: whoever reads sees either, also after a crash.
  ///
  /// Only one at a time may do this for a path.
  static func replace(_ path: String, with content: Data) throws(SystemError) {
    let temporary = path + ".new"
    unlink(temporary)  // a crash may have left one
    do throws(SystemError) {
      try create(temporary, content)
      guard rename(temporary, path) == 0 else { throw .last }
    } catch {
      unlink(temporary)
      throw error
    }
    syncFolder(of: path)
  }

  /// Renames a file.
  static func move(_ path: String, to newPath: String) throws(SystemError) {
    guard rename(path, newPath) == 0 else { throw .last }
  }

  private static func create(_ path: String, _ content: Data) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    var rest = Array(content)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      rest.removeFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw .last }
  }

  /// Makes a new name last. Not every file system can, which is no failure.
  private static func syncFolder(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let descriptor = open(String(path[...slash]), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

private let systemRead = read
