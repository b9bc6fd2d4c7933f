/// A response of status 1xx that came before the final one, such as `103 Early Hints` (RFC 9110, section 15.2).
public struct InterimResponse: Sendable, Hashable {
  /// The status code.
  public var status: HTTPResponse.Status
  /// The header fields.
  public var fields: HTTPFields

  /// An interim response.
  public init(status: HTTPResponse.Status, fields: HTTPFields = [:]) {
    self.status = status
    self.fields = fields
  }
}
