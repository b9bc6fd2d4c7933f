import Foundation
import NetCore
import NetLoopback

/// What a transport leaves to the pipeline above it.
extension TransportConformance.Case {
  static let policies = [redirectsNotFollowed, challengeDelivered, nothingCached, limitHonoured, secretsHidden]

  /// A redirect is a response like any other.
  public static let redirectsNotFollowed = Self("follows no redirect") { trial in
    let wire = try await trial.serve { request in
      var response = LoopbackResponse.text("moved")
      response.status = HTTPResponse.Status(code: Int(request.pathSegments[0]) ?? 0) ?? 500
      response.fields[.location] = "/elsewhere"
      return response
    }
    let codes = [301, 302, 303, 307, 308]
    for code in codes {
      for (method, body) in [(HTTPRequest.Method.get, HTTPBody.empty), (.post, HTTPBody("content"))] {
        let fields: HTTPFields = body.isEmpty ? [:] : [.contentType: "text/plain"]
        let response = try await wire.send(method, "/\(code)", fields: fields, body: body)
        try expect("the status", response.status.code, is: code)
        try expect("Location", response.fields[.location], is: "/elsewhere")
        try expect("the body", response.text, is: "moved")
      }
    }
    try expect("the number of requests", wire.server.counts.requests, is: 2 * codes.count)
  }

  /// A challenge is a response like any other, with its body.
  public static let challengeDelivered = Self("delivers 401 with its body, and answers no challenge") { trial in
    let challenges = [#"Basic realm="x""#, #"Digest realm="x", nonce="n""#, "Bearer"]
    let wire = try await trial.serve { request in
      var response = LoopbackResponse.text("who are you?", status: .unauthorized)
      response.fields[.wwwAuthenticate] = challenges[Int(request.pathSegments[0]) ?? 0]
      return response
    }
    for (number, challenge) in challenges.enumerated() {
      let response = try await wire.send(.get, "/\(number)")
      try expect("the status", response.status, is: 401)
      try expect("WWW-Authenticate", response.fields[.wwwAuthenticate], is: challenge)
      try expect("the body", response.text, is: "who are you?")
    }
    try expect("the number of requests", wire.server.counts.requests, is: challenges.count)
  }

  /// Nothing is stored, and nothing is made conditional.
  public static let nothingCached = Self("asks the server each time, whatever it may cache") { trial in
    let wire = try await trial.serve { request in
      let isConditional = request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince)
      return LoopbackResponse(
        fields: [
          .cacheControl: "public, max-age=3600", .eTag: "\"1\"", .lastModified: "Tue, 15 Nov 1994 12:45:26 GMT",
        ], body: HTTPBody("\(isConditional)"))
    }
    for number in 1...2 {
      let response = try await wire.send()
      try expect("the status", response.status, is: 200)
      try expect("whether the request was conditional", response.text, is: "false")
      try expect("the number of requests", wire.server.counts.requests, is: number)
    }
  }

  /// Past the limit of a collected body nothing more is received, and the error has the response's status.
  public static let limitHonoured = Self(
    "a collected body keeps its limit, and closes past it", deliveries: [.collected(upTo: 100_000)]
  ) { trial in
    let wire = try await trial.serve { request in
      let bytes = Pattern.bytes(Int(request[query: "size"] ?? "") ?? 0)
      switch request.path {
      case "/announced": return .bytes(bytes, status: 201)
      case "/chunked":
        return LoopbackResponse(status: 201, body: HTTPBody(isReplayable: true) { Pattern.chunks(bytes.count) })
      default: return .bytes(bytes, status: 201).breaking(.inBody(after: 200_000), by: .stall)
      }
    }
    func send(_ target: String) async throws -> HTTPResponse {
      try await trial.send(try wire.request(.get, target), limit: 100_000)
    }
    for path in ["/announced", "/chunked"] {
      try expect("the size", try await send("\(path)?size=100000").body.bufferedBytes?.count, is: 100_000)
    }
    for target in ["/announced?size=100001", "/chunked?size=100001", "/stalling?size=300000"] {
      let error = try await expectFailure("\(target) of 100000", [.tooLarge], mayHaveReachedServer: true) {
        try await send(target)
      }
      try expect("the error's status", error.status, is: 201)
    }
    try await wire.waitUntilDone()
  }

  /// No description of an error shows what may be a secret.
  public static let secretsHidden = Self("shows no secret of the request in an error") { trial in
    let wire = try await trial.serve { _ in .raw("HTTP/1.1 abc hunter2\r\n\r\n") }
    let secrets: HTTPFields = [.authorization: "Bearer hunter2", .cookie: "hunter2", "X-Api-Key": "hunter2"]
    do {
      _ = try await wire.send(.get, "/?token=hunter2", fields: secrets)
    } catch let error as APIError {
      let shown = "\(error) \(error.debugDescription) \(error.localizedDescription)"
      return try expect("no secret in the error", !shown.contains("hunter2"), got: shown)
    }
    throw Mismatch("expected a status line that is none to fail, got a response")
  }
}
