/// Why a download came to no file, when it is not the exchange that failed. What was at the target is as it was.
public enum TransferFailure: Sendable, Hashable {
  /// The file system has less room than the file needs.
  case noSpace
  /// Another download is writing the same file.
  case busy
  /// What came has another digest than the server or the caller named. It has been thrown away.
  case digestMismatch
  /// The file, or one beside it that holds what has come so far, could not be made, read, written or moved.
  case file
}
