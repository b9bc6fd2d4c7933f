extension NetworkClient {
  /// Sends `request`, tells how much of its body is through, and returns its value.
  ///
  ///     let photo = try await client.upload(AddPhoto(file: url)) { updates in
  ///       for await progress in updates { bar.show(progress) }
  ///     }
  ///
  /// The body is whatever the request declares: bytes, a file, a stream, a form. It is counted when the transport has taken
  /// it, in pieces of at most 256 KiB. Told are the beginning, then at most ten times a second, and the end; nothing is told
  /// while nothing moves. When the request is sent again (a retry, a new token), what is sent for the second time counts for
  /// the rate alone, so that the progress stands still meanwhile and never falls.
  ///
  /// - Parameters:
  ///   - request: What to send. When it names no time limit it has a week, not the client's; a client's `attemptTimeout`
  ///     stays, though, and covers the upload.
  ///   - timeSource: Where the time for the rate comes from. Default: the machine's clock.
  ///   - progress: Runs beside the upload. It is cancelled when the upload fails; when it succeeds, this waits for it.
  ///     Default: nobody, and nothing is counted.
  /// - Throws: ``APIError``, and `CancellationError` when the caller's task was cancelled.
  @discardableResult
  public func upload<R: APIRequest>(
    _ request: R, timeSource: TimeSource = .system, progress: ProgressObserver? = nil
  ) async throws -> R.Response {
    try await withProgress(progress, timeSource: timeSource) { feed in
      try await send(TransferRequest(base: request, feed: feed))
    }
  }
}
