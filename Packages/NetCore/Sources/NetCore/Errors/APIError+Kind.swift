extension APIError {
  /// What went wrong, for a `switch`.
  public enum Kind: Sendable, Hashable {
    /// The URL or path is not one that can be asked for. Nothing was sent.
    case invalidURL
    /// The request cannot be sent as it is. Nothing was sent.
    case invalidRequest
    /// The transport cannot do what the request or its settings ask for. Nothing was sent.
    case unsupported
    /// A limit of the client's own refused an attempt, which was not sent: ``APIError/retryAfter`` says when it would be.
    case rejected(Rejection)
    /// No response, or not all of one.
    case transport(TransportFailure)
    /// A download came to no file: the disk, or content that is not what it should be.
    case transfer(TransferFailure)
    /// What answered does not speak HTTP.
    case notHTTP
    /// A redirect was not followed; the error has its response.
    case redirect(RedirectFailure)
    /// Status 401.
    case unauthorized
    /// Status 403.
    case forbidden
    /// Status 404.
    case notFound
    /// Status 429.
    case rateLimited
    /// A status from 500 to 599.
    case serverError(HTTPResponse.Status)
    /// Any other status that the validation refused.
    case otherStatus(HTTPResponse.Status)
    /// The response has more bytes than the limit.
    case tooLarge
    /// The response has no content, and the type asked for has no value for that.
    case noData
    /// The response's content is not what was asked for.
    case decoding

    /// The kind for a status that was refused.
    public init(status: HTTPResponse.Status) {
      self =
        switch status {
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .tooManyRequests: .rateLimited
        case _ where status.kind == .serverError: .serverError(status)
        default: .otherStatus(status)
        }
    }
  }
}
