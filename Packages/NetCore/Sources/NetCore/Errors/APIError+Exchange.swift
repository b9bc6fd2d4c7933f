#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension APIError {
  /// The request of a failed call, as far as it may be shown.
  public struct FailedRequest: Sendable, Hashable {
    /// The call's name.
    public let endpointName: String
    /// The method.
    public let method: HTTPRequest.Method
    /// The URL, with what ``Redactor/standard`` does not allow hidden.
    public let url: String
  }

  /// The response of a failed call.
  public struct FailedResponse: Sendable {
    /// The most bytes of a body that an error keeps: 64 KiB.
    public static let maximumBodySize = 64 << 10

    /// The status code.
    public let status: HTTPResponse.Status
    /// The header fields.
    public let fields: HTTPFields
    /// The beginning of the body, up to ``maximumBodySize`` bytes.
    public let body: Data
    /// What the server said about the failure.
    public let message: ServerMessage?

    init(_ response: CollectedResponse, message: ServerMessage?) {
      status = response.status
      fields = response.fields
      body = response.body.prefix(Self.maximumBodySize)
      self.message = message
    }

    var collected: CollectedResponse {
      CollectedResponse(status: status, fields: fields, body: body)
    }
  }
}

extension APIError.FailedResponse: CustomStringConvertible, CustomDebugStringConvertible {
  /// Status, type and size, with no value of the fields or the body.
  public var description: String {
    "\(status), \(fields[.contentType] ?? "no type"), \(body.count) bytes"
  }

  /// The same as ``description``: printing leaks no secret.
  public var debugDescription: String { description }
}
