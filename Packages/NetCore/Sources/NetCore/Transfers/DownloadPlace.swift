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

/// Where a download goes: a file, or a folder in which the server names the file.
struct DownloadPlace: Sendable {
  /// The most names that are tried in a folder.
  private static let maximumTries = 1_000
  /// The most bytes of a name in a folder: there is room for a number, and for what a partial file's name has beside it.
  private static let maximumNameSize = 220

  /// What the request asks for.
  let identity: RequestIdentity
  /// Where the content is until it is complete.
  let partialPath: String
  private let path: String
  private let isFolder: Bool
  /// The file's name in a folder, when the server gives none.
  private let defaultName: String

  init(_ target: URL, for request: some APIRequest) async throws {
    guard target.isFileURL else { throw APIError.invalidRequest("A download's target is a file: URL.") }
    let path = target.path
    self.path = path
    identity = RequestIdentity(request)
    defaultName = Self.lastSegment(of: request)
    isFolder = try await FileIO.perform { mode(ofFileAt: path).map { $0 & S_IFMT == S_IFDIR } ?? false }
    partialPath = isFolder ? "\(path)/\(defaultName).\(identity.forFilename).partial" : "\(path).partial"
  }

  /// Moves a complete file from ``partialPath`` to where it belongs.
  ///
  /// - Parameter name: The name that the server gives it, whatever that may be.
  /// - Returns: Where it is now.
  func moveNow(name: String?) throws -> String {
    guard isFolder else {
      guard rename(partialPath, path) == 0 else { throw FileIO.transferFailure("make", path) }
      return path
    }
    let name = SafeFilename.make(
      from: name, default: defaultName, maximumSize: Self.maximumNameSize)
    for number in 1...Self.maximumTries {
      let path = "\(path)/\(number == 1 ? name : Self.numbered(name, number))"
      if try moveNow(toNewFileAt: path) { return path }
    }
    throw APIError(.transfer(.file), reason: "There are \(Self.maximumTries) files named like \(name) already.")
  }

  /// The permissions of the file that will be replaced; `nil` when there is none.
  func replacedPermissionsNow() -> mode_t? {
    isFolder ? nil : mode(ofFileAt: path).map { $0 & 0o777 }
  }

  private static func lastSegment(of request: some APIRequest) -> String {
    let path = request.absoluteURL?.path(percentEncoded: true) ?? request.path.encoded
    let segment = path.split(separator: "/").last ?? ""
    let name = PercentEncoding.decode(segment).map { String(decoding: $0, as: UTF8.self) }
    return SafeFilename.make(from: name, default: "download", maximumSize: maximumNameSize)
  }

  /// `map 2.zip` for `map.zip`.
  static func numbered(_ name: String, _ number: Int) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name) \(number)" }
    return "\(name[..<dot]) \(number)\(name[dot...])"
  }

  /// - Returns: Whether it was moved: `false` when that name is taken.
  private func moveNow(toNewFileAt path: String) throws -> Bool {
    if link(partialPath, path) == 0 {
      unlink(partialPath)
      return true
    }
    guard errno != EEXIST else { return false }
    // A file system without hard links: an empty file keeps the name until it is replaced.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw FileIO.transferFailure("make", path) }
      return false
    }
    close(descriptor)
    guard rename(partialPath, path) == 0 else { throw FileIO.transferFailure("make", path) }
    return true
  }
}

/// Type and permissions of what is at `path`, links followed; `nil` when nothing is.
private func mode(ofFileAt path: String) -> mode_t? {
  var info = stat()
  return stat(path, &info) == 0 ? info.st_mode : nil
}

extension FileIO {
  /// The failure of a system call that `errno` explains.
  static func transferFailure(_ verb: String, _ path: String) -> APIError {
    let code = errno
    let failure: TransferFailure = code == ENOSPC || code == EDQUOT ? .noSpace : .file
    return APIError(
      .transfer(failure), reason: "Could not \(verb) the file \(path): \(String(cString: strerror(code))).")
  }
}
