import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let requests = [methods, targets, framingRefused, rejectedValuesRefused, invalidURLsRefused, hostSent]

  /// Any token is a method.
  public static let methods = Self("sends every method as it is") { trial in
    let wire = try await trial.serve { request in
      LoopbackResponse(fields: ["X-Method": request.method.rawValue], body: HTTPBody(request.method.rawValue))
    }
    for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options, "PURGE", "M-SEARCH"] {
      let response = try await wire.send(method)
      try expect("the method", response.fields["X-Method"], is: method.rawValue)
      try expect("the body", response.text, is: method == .head ? "" : method.rawValue)
    }
  }

  /// Path and query reach the server as they stand in the URL.
  public static let targets = Self("sends the path and the query as they are") { trial in
    let wire = try await trial.serve { .text($0.target) }
    let targets = ["/", "/a%2Fb/c;d=1/", "/caf%C3%A9/%25", "/?q=1%2B1&r=a%20b+c&r=&s", "/a//b?x=/?y"]
    for target in targets { try expect("the target", try await wire.send(.get, target).text, is: target) }
    try expect("the target without a path", try await wire.send(.get, "").text, is: "/")
  }

  /// Framing is the transport's: what would contradict it is refused before anything is sent (CWE-444).
  public static let framingRefused = Self("refuses framing fields, and sends nothing") { trial in
    let wire = try await trial.serve { _ in .text("reached") }
    let fields: [HTTPFields] = [
      [.transferEncoding: "chunked"], [.connection: "close"], [.contentLength: "4"], [.contentLength: "6"],
      [.host: "other.example"], [.upgrade: "websocket"], [.trailer: "X-Sum"], ["Keep-Alive": "timeout=5"],
    ]
    for fields in fields {
      try await expectFailure("\(fields[0].name)", [.invalidRequest], mayHaveReachedServer: false) {
        try await wire.send(.post, fields: fields, body: HTTPBody("hello"))
      }
    }
    try await expectFailure("CONNECT", [.invalidRequest], mayHaveReachedServer: false) { try await wire.send(.connect) }
    try expect("the number of connections", wire.server.counts.connections, is: 0)
  }

  /// A value that would split the request was refused when it was set, and is not lost in silence.
  public static let rejectedValuesRefused = Self("refuses values with control characters, and sends nothing") { trial in
    let wire = try await trial.serve { _ in .text("reached") }
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\0b"] {
      try await expectFailure("a value with a control character", [.invalidRequest], mayHaveReachedServer: false) {
        try await wire.send(fields: ["X-Value": value])
      }
    }
    try expect("the number of connections", wire.server.counts.connections, is: 0)
  }

  /// Only absolute `http` and `https` URLs without a user can be asked for.
  public static let invalidURLsRefused = Self("refuses URLs that are not http or https, or have a password") { trial in
    for text in ["ftp://127.0.0.1:1/", "file:///etc/hostname", "relative/path", "http://me:secret@127.0.0.1:1/"] {
      guard let url = URL(string: text) else { throw Mismatch("\(text) is no URL") }
      try await expectFailure(text, [.invalidURL], mayHaveReachedServer: false) {
        try await trial.send(HTTPRequest(url: url))
      }
    }
  }

  /// One `Host`, the URL's, also when the caller gave the same (RFC 9112, section 3.2).
  public static let hostSent = Self("sends one Host field, with the port") { trial in
    let wire = try await trial.serve { .text($0.fields[values: .host].joined(separator: "|")) }
    let host = "127.0.0.1:\(wire.server.port)"
    try expect("Host", try await wire.send().text, is: host)
    try expect("a Host that was given", try await wire.send(fields: [.host: host]).text, is: host)
  }
}
