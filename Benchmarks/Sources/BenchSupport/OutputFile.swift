#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written front to back.
public struct OutputFile: ~Copyable {
  private let descriptor: Int32

  /// Empties the file at `path`, or makes it.
  public init(_ path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "\(path) cannot be written")
  }

  deinit { close(descriptor) }

  /// Appends `bytes`.
  public func append(_ bytes: Data) {
    bytes.withUnsafeBytes { rest in
      var rest = rest[...]
      while !rest.isEmpty {
        let count = write(descriptor, rest.base.baseAddress! + rest.startIndex, rest.count)
        precondition(count > 0, "the file cannot be written")
        rest = rest.dropFirst(count)
      }
    }
  }
}
