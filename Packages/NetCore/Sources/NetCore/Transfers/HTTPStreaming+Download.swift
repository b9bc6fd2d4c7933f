#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPStreaming {
  /// Downloads what a `GET` answers to a file.
  ///
  ///     let file = try await client.download(Endpoint<Void>(path: "maps/oslo"), to: url) { updates in
  ///       for await progress in updates { bar.show(progress) }
  ///     }
  ///
  /// The content is written beside the target, as `NAME.partial`, and moved there in one step when it is complete and
  /// checked: whoever opens the target finds the old file or the whole new one, also after a crash. A download that broke
  /// off, by whatever cause, goes on where it was: at once, as ``DownloadOptions`` say, or the next time it is asked for. It
  /// goes on only when the server says by a strong validator that the content is still the same, and begins anew otherwise.
  ///
  /// - Parameters:
  ///   - request: A `GET`. When it names no time limit, each attempt has a week, not the client's; its retries are those of
  ///     `options`, not the client's.
  ///   - target: The file to make or to replace; it gets the permissions of the file it replaces, or those of any new file.
  ///     In a folder that exists, the file is named as the server says, made safe, or else by the URL, and replaces
  ///     nothing: `map.zip`, `map 2.zip`.
  ///   - options: What to check, and how often to try.
  ///   - progress: Runs beside the download. It is cancelled when the download fails; when it succeeds, this waits for it.
  /// - Throws: ``APIError``, of kind `transfer` when it is about the file; `CancellationError` when the caller's task was
  ///   cancelled.
  @discardableResult
  public func download<R: APIRequest>(
    _ request: R, to target: URL, options: DownloadOptions = DownloadOptions(), progress: ProgressObserver? = nil
  ) async throws -> DownloadedFile {
    guard request.method == .get else {
      throw APIError.invalidRequest("A download is a GET: \(request.method) may act each time it is sent.")
    }
    let expected = try options.sha256.map(ReprDigest.sha256(hexadecimal:))
    let place = try await DownloadPlace(target, for: request)
    return try await withProgress(progress, timeSource: options.timeSource) { feed in
      var download = try await Download(
        client: self, request: request, place: place, options: options, expected: expected, feed: feed)
      return try await download.run()
    }
  }
}
