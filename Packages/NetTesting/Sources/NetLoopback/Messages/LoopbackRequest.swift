public import NetCore

/// A request as a ``LoopbackServer`` received it: the head, and a body that may still be on its way.
public struct LoopbackRequest: Sendable {
  /// A version of HTTP.
  public enum Version: String, Sendable, Hashable {
    /// HTTP/1.0: connections end with the response unless the client asks for more.
    case http1_0 = "HTTP/1.0"
    /// HTTP/1.1.
    case http1_1 = "HTTP/1.1"
  }

  /// The method.
  public let method: HTTPRequest.Method
  /// The request target as it stood on the request line: `/search?q=tea`.
  public let target: String
  /// The target's path, percent-encoded as it came: `/search`; `*` for `OPTIONS *`.
  public let path: String
  /// The target's query as it came, without the question mark; `nil` when it has none.
  public let rawQuery: String?
  /// The version on the request line; a higher 1.x counts as 1.1.
  public let version: Version
  /// The header fields, in the order they came.
  public let fields: HTTPFields
  /// The content.
  public let body: Body
  /// The client's address and port: `127.0.0.1:50123`, `[::1]:50123`.
  public let remoteAddress: String
  /// Which connection of the server the request came over, from 1.
  public let connectionNumber: Int
  /// Which request of its connection it is, from 1.
  public let requestNumber: Int
  let wantsKeepAlive: Bool
  let reader: RequestReader

  init(_ head: RequestHead, reader: RequestReader) {
    method = head.method
    target = head.target.text
    path = head.target.path
    rawQuery = head.target.query
    version = head.version
    fields = head.fields
    remoteAddress = reader.channel.remoteAddress
    connectionNumber = reader.channel.number
    requestNumber = reader.request
    wantsKeepAlive = head.wantsKeepAlive
    self.reader = reader
    let length: Int64? =
      switch head.framing {
      case .none: 0
      case .length(let length): length
      case .chunked: nil
      }
    body = Body(length: length, reader: reader, request: requestNumber)
  }

  /// The path's segments, decoded: `["users", "a/b"]` for `/users/a%2Fb`. A segment that is not UTF-8 stays encoded.
  public var pathSegments: [String] {
    path.split(separator: "/").map { PercentDecoding.decode($0) ?? String($0) }
  }

  /// The query's items, decoded as a form is: `+` is a space (WHATWG URL, section 5.1).
  public var query: Query {
    var query = Query()
    for item in (rawQuery ?? "").split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { part in PercentDecoding.decode(part.replacing("+", with: " ")) ?? String(part) }
      query.append(parts[0], parts.count > 1 ? parts[1] : "")
    }
    return query
  }

  /// The value of the query's first item called `name`.
  public subscript(query name: String) -> String? {
    query.items.first { $0.name == name }?.value
  }

  /// Waits until the client has closed the connection or its half of it; returns at once when the task is cancelled.
  ///
  /// Behind more than 64 KiB of a body that is not read, its leaving is not seen.
  public func waitForClientToLeave() async {
    await reader.channel.waitUntilPeerEnds()
  }
}
