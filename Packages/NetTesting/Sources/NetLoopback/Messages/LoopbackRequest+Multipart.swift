public import NetCore

extension LoopbackRequest {
  /// The form that is the request's content (`multipart/form-data`), read as it arrives:
  ///
  ///     for try await part in try request.multipart() { … part.name … try await part.collect() … }
  ///
  /// A `MultipartError` that a handler lets pass is answered with status 413 when something is too large, else with 400.
  ///
  /// - Parameter limits: Default: 1000 parts, 10 MB for each, 100 MB for all.
  /// - Throws: ``LoopbackError`` with status 415 for content of another type.
  public func multipart(limits: MultipartReader.Limits = MultipartReader.Limits()) throws -> MultipartReader {
    do {
      return try MultipartReader(body, contentType: fields[.contentType], limits: limits)
    } catch {
      throw LoopbackError(.unsupportedMediaType, "\(error.reason)")
    }
  }
}
