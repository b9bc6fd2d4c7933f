import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let heads = [
    missingReasonPhrase, unusualStatuses, statusesWithoutContent, headRequest, untilClose, emptyChunkedBody,
    interimResponses, surplusBytes, trailers,
  ]

  /// A status line without a reason phrase is a response (RFC 9112, section 4).
  public static let missingReasonPhrase = Self("takes a status line without a reason phrase") { trial in
    for statusLine in ["HTTP/1.1 200", "HTTP/1.1 200 "] {
      let wire = try await trial.serve { _ in .raw("\(statusLine)\r\nContent-Length: 5\r\n\r\nhello") }
      let response = try await wire.send()
      try expect("the status", response.status, is: 200)
      try expect("the body", response.text, is: "hello")
    }
  }

  /// Every three-digit status is a response, also one that no RFC defines.
  public static let unusualStatuses = Self("brings statuses as they are, defined or not") { trial in
    let wire = try await trial.serve { request in
      .text("body of \(request.path)", status: HTTPResponse.Status(code: Int(request.pathSegments[0]) ?? 0) ?? 500)
    }
    for code in [200, 201, 203, 206, 299, 400, 404, 410, 418, 451, 500, 503, 599] {
      let response = try await wire.send(.get, "/\(code)")
      try expect("the status", response.status.code, is: code)
      try expect("the body", response.text, is: "body of /\(code)")
    }
  }

  /// 204 and 304 end with their head (RFC 9112, section 6.3).
  public static let statusesWithoutContent = Self("204 and 304 have no body, whatever their Content-Length") { trial in
    let wire = try await trial.serve { request in
      request.path == "/next"
        ? .text("next")
        : .raw("HTTP/1.1 \(request.pathSegments[0]) X\r\nContent-Length: 5\r\n\r\n", keepsConnection: true)
    }
    for code in [204, 304] {
      let response = try await wire.send(.get, "/\(code)")
      try expect("the status", response.status.code, is: code)
      try expect("the body of \(code)", response.text, is: "")
      try expect("the body after \(code)", try await wire.send(.get, "/next").text, is: "next")
    }
  }

  /// An answer to `HEAD` has the fields of the one to `GET`, and no content (RFC 9110, section 9.3.2).
  public static let headRequest = Self("an answer to HEAD keeps its Content-Length and has no body") { trial in
    let wire = try await trial.serve { _ in .text("hello") }
    let response = try await wire.send(.head)
    try expect("Content-Length", response.fields[.contentLength], is: "5")
    try expect("the body", response.text, is: "")
    try expect("the body of a GET after it", try await wire.send().text, is: "hello")
  }

  /// A response without a length ends with its connection (RFC 9112, section 6.3).
  public static let untilClose = Self("a body without a length lasts until the connection is closed") { trial in
    let bytes = Pattern.bytes(300_000)
    for version in ["1.0", "1.1"] {
      let wire = try await trial.serve { _ in .raw([.send("HTTP/\(version) 200 OK\r\n\r\n"), .send(bytes)]) }
      let response = try await wire.open()
      try expect("the announced length", response.body.bufferedBytes == nil ? response.body.length : nil, is: nil)
      try expect("the body", try await response.body.collect(upTo: 1 << 20), is: bytes)
    }
  }

  /// A chunked body may have no chunk but the last one.
  public static let emptyChunkedBody = Self("an empty chunked body is empty") { trial in
    let wire = try await trial.serve { _ in
      .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", keepsConnection: true)
    }
    for _ in 0..<2 {
      let response = try await wire.send()
      try expect("the status", response.status, is: 200)
      try expect("the body", response.text, is: "")
    }
  }

  /// Interim responses come before the response and are not it (RFC 9110, section 15.2).
  public static let interimResponses = Self("1xx responses are not the response") { trial in
    let wire = try await trial.serve { _ in
      .raw(
        "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    }
    let response = try await wire.send()
    try expect("the status", response.status, is: 200)
    try expect("a field of the interim response", response.fields[.link], is: nil)
    try expect("the body", response.text, is: "hello")
  }

  /// Bytes after a response are no response to the next request (RFC 9112, section 11.1).
  public static let surplusBytes = Self("bytes after a response are not taken for the next one") { trial in
    let wire = try await trial.serve { request in
      request.path == "/next"
        ? .text("next")
        : .raw(
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
          keepsConnection: true)
    }
    for _ in 0..<3 {
      try expect("the body", try await wire.send().text, is: "hello")
      try expect("the body of the next response", try await wire.send(.get, "/next").text, is: "next")
    }
  }

  /// Trailer fields are known at the end of a body (RFC 9110, section 6.5).
  public static let trailers = Self("brings trailer fields at the end of the body") { trial in
    let wire = try await trial.serve { _ in
      LoopbackResponse(body: HTTPBody("hello"), trailers: ["X-Sum": "5d41", "X-Count": "5"])
    }
    for _ in 0..<2 {
      let response = try await wire.send()
      try expect("the body", response.text, is: "hello")
      try expect("the trailer X-Sum", response.body.trailers["X-Sum"], is: "5d41")
      try expect("the trailer X-Count", response.body.trailers["X-Count"], is: "5")
      try expect("the header field X-Sum", response.fields["X-Sum"], is: nil)
    }
  }
}
