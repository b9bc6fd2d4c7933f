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

/// A file whose content is still coming, with what is known about it in another one beside it: `NAME.partial` and
/// `NAME.partial.json`. It is locked, against other processes and other downloads of this one, until it is dropped.
///
/// Its functions whose names end in `Now` block.
final class PartialFile: Sendable {
  /// How often a file that is being moved away is opened anew.
  private static let maximumTries = 100

  private let place: DownloadPlace
  private let descriptor: CInt
  private var path: String { place.partialPath }
  private var metadataPath: String { "\(place.partialPath).json" }

  private init(_ place: DownloadPlace, descriptor: CInt) {
    self.place = place
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone would leave the lock to a child process that is just being started and has a copy of the descriptor.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Opens the file, or makes it, and locks it.
  ///
  /// - Throws: ``APIError`` of kind `transfer(.busy)` when it is locked.
  static func open(_ place: DownloadPlace) async throws -> PartialFile {
    try await FileIO.perform {
      for _ in 1...maximumTries {
        if let file = try openNow(place) { return file }
      }
      throw busy(place)
    }
  }

  /// - Returns: `nil` when the file was moved away just before it was locked, by the download that had it until then.
  private static func openNow(_ place: DownloadPlace) throws -> PartialFile? {
    let path = place.partialPath
    let permissions = place.replacedPermissionsNow() ?? 0o666
    let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, permissions)
    guard descriptor >= 0 else { throw FileIO.transferFailure("make", path) }
    let file = PartialFile(place, descriptor: descriptor)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { throw busy(place) }
      guard errno == EINTR else { throw FileIO.transferFailure("lock", path) }
    }
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0 else { throw FileIO.transferFailure("read", path) }
    guard lstat(path, &named) == 0, opened.st_ino == named.st_ino, opened.st_dev == named.st_dev else { return nil }
    guard opened.st_mode & S_IFMT == S_IFREG, opened.st_uid == geteuid() else {
      throw APIError(.transfer(.file), reason: "\(path) is not a file of ours: remove it, or choose another target.")
    }
    // What has another name too is somebody's file: writing would change that.
    guard opened.st_nlink == 1 || unlink(path) != 0 else { return nil }
    return file
  }

  private static func busy(_ place: DownloadPlace) -> APIError {
    APIError(
      .transfer(.busy), reason: "Another download writes \(place.partialPath): wait for it, or choose another target.",
      mayHaveReachedServer: false)
  }
}

extension PartialFile {
  /// What an earlier download left that asked for the same: what is known, and how many bytes there are. `nil` when there is
  /// nothing that could be gone on with.
  func restore() async throws -> (metadata: PartialMetadata, size: Int64)? {
    try await FileIO.perform { [self] in
      guard (try? FileIO.length(ofFileAt: metadataPath)) != nil,
        let bytes = try? FileIO.readNow(metadataPath, at: 0, count: PartialMetadata.maximumSize + 1),
        let metadata = PartialMetadata(reading: bytes), metadata.request == place.identity
      else { return nil }
      var info = stat()
      guard fstat(descriptor, &info) == 0 else { throw FileIO.transferFailure("read", path) }
      return (metadata, Int64(info.st_size))
    }
  }

  /// Empties the file and keeps what is known about what comes now.
  ///
  /// In this order, so that never, also not after a crash, one's metadata is beside the other's content.
  func begin(_ metadata: PartialMetadata) async throws {
    try await empty()
    guard metadata.validator != nil else { return }
    do {
      try await FileIO.replace(fileAt: metadataPath, with: metadata.written())
    } catch let error as APIError {
      throw APIError(.transfer(.file), reason: error.reason, underlying: error)
    }
  }

  /// Empties the file, and forgets what is known about it.
  func empty() async throws {
    try await FileIO.perform { [self] in
      unlink(metadataPath)
      guard ftruncate(descriptor, 0) == 0, fsync(descriptor) == 0 else {
        throw FileIO.transferFailure("empty", path)
      }
    }
  }

  /// Writes chunks at an offset, and works them into a digest.
  func write(_ chunks: [Data], at offset: Int64, into hash: SHA256?) async throws -> SHA256? {
    try await FileIO.perform { [self] in
      var (offset, hash) = (offset, hash)
      for chunk in chunks {
        try chunk.withUnsafeBytes { try writeNow($0, at: offset) }
        hash?.update(chunk)
        offset += Int64(chunk.count)
      }
      return hash
    }
  }

  /// The digest of the first `size` bytes, so far.
  ///
  /// - Throws: `CancellationError` soon after the task was cancelled.
  func hash(upTo size: Int64) async throws -> SHA256 {
    var hash = SHA256()
    var offset: Int64 = 0
    while offset < size {
      try Task.checkCancellation()
      let count = Int(min(size - offset, 4 << 20))
      hash = try await FileIO.perform { [self, hash, offset] in try addNow(count, at: offset, to: hash) }
      offset += Int64(count)
    }
    return hash
  }

  /// - Throws: ``APIError`` of kind `transfer(.noSpace)` when the file system has no room for `count` more bytes.
  func checkSpace(for count: Int64) async throws {
    try await FileIO.perform { [self] in
      var info = statvfs()
      guard fstatvfs(descriptor, &info) == 0 else { return }  // whether there is room, writing tells
      let free = UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
      guard free.overflow || free.partialValue >= UInt64(max(count, 0)) else {
        throw APIError(
          .transfer(.noSpace),
          reason: "\(count) bytes are still to come, and there is room for \(free.partialValue): make room, or choose "
            + "another target.")
      }
    }
  }

  /// Puts the file in its place: for good, when this returns.
  ///
  /// - Returns: Where it is.
  func finish(name: String?) async throws -> String {
    try await FileIO.perform { [self] in
      if let permissions = place.replacedPermissionsNow() { fchmod(descriptor, permissions) }
      guard fsync(descriptor) == 0 else { throw FileIO.transferFailure("write", path) }
      let final = try place.moveNow(name: name)
      // Without its file it means nothing, so that a crash in between does no harm.
      unlink(metadataPath)
      FileIO.synchronizeFolder(of: final)
      return final
    }
  }

  /// Removes the file, and what is known about it; unless it is to be kept and has content.
  func clean(keepsContent: Bool) async {
    try? await FileIO.perform { [self] in
      var info = stat()
      guard !keepsContent || (fstat(descriptor, &info) == 0 && info.st_size == 0) else { return }
      unlink(metadataPath)
      unlink(path)
    }
  }

  private func writeNow(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.startIndex
      let count = pwrite(descriptor, bytes.baseAddress! + written, rest.count, off_t(offset) + off_t(written))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileIO.transferFailure("write", path) }
      rest = rest.dropFirst(count)
    }
  }

  private func addNow(_ count: Int, at offset: Int64, to hash: SHA256) throws -> SHA256 {
    var hash = hash
    try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
      var (done, count) = (0, count)
      while count > 0 {
        let got = pread(descriptor, buffer.baseAddress!, min(count, buffer.count), off_t(offset) + off_t(done))
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { throw FileIO.transferFailure("read", path) }
        hash.update(UnsafeRawBufferPointer(start: buffer.baseAddress, count: got))
        (done, count) = (done + got, count - got)
      }
    }
    return hash
  }
}

private func systemOpen(_ path: String, _ flags: CInt, _ permissions: mode_t) -> CInt {
  open(path, flags, permissions)
}
