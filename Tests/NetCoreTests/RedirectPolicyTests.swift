import Foundation
import Testing

@testable import NetCore

private struct MethodRow: Sendable, CustomTestStringConvertible {
  let method: HTTPRequest.Method
  let status: HTTPResponse.Status
  let next: HTTPRequest.Method
  let keepsBody: Bool

  var testDescription: String { "\(method) after \(status.code)" }
}

private struct FieldRow: Sendable, CustomTestStringConvertible {
  let name: HTTPField.Name
  let staysElsewhere: Bool
  let staysForGet: Bool

  var testDescription: String { name.rawName }

  init(_ name: HTTPField.Name, elsewhere: Bool, get: Bool) {
    (self.name, staysElsewhere, staysForGet) = (name, elsewhere, get)
  }
}

/// The decision, without a network.
@Suite struct RedirectPolicyTests {
  private let policy = RedirectPolicy.standard

  private static let statuses: [HTTPResponse.Status] = [301, 302, 303, 307, 308]
  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, "QUERY"]

  /// RFC 9110, section 15.4: which method and whether the body goes on.
  private static let methodRows = statuses.flatMap { status in
    methods.map { method in
      let becomesGet = status == 303 ? method != .head : status.code < 303 && method == .post
      return MethodRow(
        method: method, status: status, next: becomesGet ? .get : method,
        keepsBody: status != 303 && !(status.code < 303 && method == .post))
    }
  }

  @Test(arguments: methodRows)
  private func `method and body follow the status`(row: MethodRow) throws {
    var request = try request(row.method, "https://a/x")
    request.body = HTTPBody(Data("body".utf8))
    let next = try #require(try next(row.status, "/y", after: request))
    #expect(next.method == row.next)
    #expect(next.body.isEmpty == !row.keepsBody)
    #expect(next.url.absoluteString == "https://a/y")
  }

  @Test(arguments: [200, 201, 204, 300, 304, 305, 306, 309, 399, 400, 503] as [HTTPResponse.Status])
  func `another status is the answer, whatever its Location`(status: HTTPResponse.Status) throws {
    #expect(try next(status, "/y", after: request(.get, "https://a/x")) == nil)
  }

  @Test(arguments: statuses)
  func `a redirect without a Location is the answer`(status: HTTPResponse.Status) throws {
    #expect(try next(status, nil, after: request(.get, "https://a/x")) == nil)
  }

  private static let fieldRows = [
    FieldRow(.authorization, elsewhere: false, get: true), FieldRow(.cookie, elsewhere: false, get: true),
    FieldRow("Cookie2", elsewhere: false, get: true), FieldRow(.proxyAuthorization, elsewhere: false, get: true),
    FieldRow("X-API-Key", elsewhere: false, get: true), FieldRow("PRIVATE-TOKEN", elsewhere: false, get: true),
    FieldRow("X-Anything", elsewhere: false, get: true), FieldRow("Origin", elsewhere: false, get: true),
    FieldRow("baggage", elsewhere: false, get: true), FieldRow("Referer", elsewhere: false, get: false),
    FieldRow(.host, elsewhere: false, get: false), FieldRow(.accept, elsewhere: true, get: true),
    FieldRow(.acceptLanguage, elsewhere: true, get: true), FieldRow(.userAgent, elsewhere: true, get: true),
    FieldRow(.cacheControl, elsewhere: true, get: true), FieldRow("X-Request-ID", elsewhere: true, get: true),
    FieldRow("traceparent", elsewhere: true, get: true), FieldRow(.contentType, elsewhere: true, get: false),
    FieldRow(.contentEncoding, elsewhere: true, get: false), FieldRow(.contentLanguage, elsewhere: true, get: false),
    FieldRow(.contentLength, elsewhere: true, get: false), FieldRow("Content-Digest", elsewhere: true, get: false),
    FieldRow("Content-MD5", elsewhere: false, get: false), FieldRow("Digest", elsewhere: false, get: false),
    FieldRow(.idempotencyKey, elsewhere: true, get: false), FieldRow(.expect, elsewhere: true, get: false),
    FieldRow(.range, elsewhere: true, get: false), FieldRow(.ifMatch, elsewhere: true, get: false),
    FieldRow(.ifNoneMatch, elsewhere: true, get: false), FieldRow("If-Unmodified-Since", elsewhere: true, get: false),
  ]

  @Test(arguments: fieldRows)
  private func `a field goes where it may`(row: FieldRow) throws {
    var request = try request(.post, "https://a/x")
    request.fields[row.name] = "1"
    request.body = HTTPBody(Data("1".utf8))
    let isAlwaysDropped = row.name == .host || row.name == "Referer"
    #expect(try #require(try next(307, "/y", after: request)).fields.contains(row.name) == !isAlwaysDropped)
    #expect(try #require(try next(307, "https://b/", after: request)).fields.contains(row.name) == row.staysElsewhere)
    #expect(try #require(try next(303, "/y", after: request)).fields.contains(row.name) == row.staysForGet)
  }

  @Test(
    arguments: [
      ("https://a/x", "https://a/y", true), ("https://a/x", "https://A:443/y", true),
      ("http://a/x", "http://a:80/", true),
      ("https://a:8443/x", "//a:8443/y", true), ("https://a/x", "https://a:8443/", false),
      ("https://a/x", "//b/", false),
      ("https://a/x", "https://www.a/", false), ("https://www.a/x", "https://a/", false),
      ("http://a/x", "https://a/", false),
      ("http://a:443/x", "https://a/", false), ("https://a/x", "https://a./", false),
      ("https://a/x", "http://a/", false),
      ("http://127.0.0.1/x", "http://localhost/", false), ("http://[::1]/x", "http://[::1]:80/", true),
      ("http://127.0.0.1/x", "http://0x7f.1/", false),
    ])
  func `credentials stay with their origin`(from: String, to: String, isSame: Bool) throws {
    var policy = policy
    policy.allowsDowngrade = true
    var request = try request(.get, from)
    request.fields[.authorization] = "secret"
    let next = try #require(try next(302, to, after: request, by: policy))
    #expect(next.fields.contains(.authorization) == isSame)
  }

  @Test func `a field that was declared portable goes along, and credentials never do`() throws {
    var policy = policy
    policy.portableFields.formUnion(["X-Version", .authorization, .cookie])
    policy.portableFields.remove(.accept)
    var request = try request(.get, "https://a/x")
    request.fields = ["x-version": "2", .authorization: "secret", .cookie: "a=1", .accept: "*/*"]
    #expect(try next(302, "https://b/", after: request, by: policy)?.fields == ["x-version": "2"])
  }

  @Test func `what is dropped is not there at the first origin again`() throws {
    var chain = RedirectChain(try request(.get, "https://a/x"))
    var first = chain.request
    first.fields = [.authorization: "secret", .cookie: "a=1", "X-API-Key": "key", .accept: "*/*"]
    chain = RedirectChain(first)
    for location in ["https://b/", "https://a/y"] {
      let response = redirect(302, location)
      chain.follow(response, to: try #require(try policy.nextRequest(after: response, in: chain)), after: .zero)
    }
    #expect(chain.request.url.host() == "a")
    #expect(chain.request.fields == [.accept: "*/*"])
  }

  @Test func `https falls to http only where that is allowed`() throws {
    let request = try request(.get, "https://a/x")
    #expect(throws: APIError.redirect(.downgrade)) { try next(302, "http://a/x", after: request) }
    var policy = policy
    policy.allowsDowngrade = true
    #expect(try next(302, "http://a/x", after: request, by: policy) != nil)
    #expect(try next(301, "https://a/x", after: self.request(.get, "http://a/x")) != nil)
  }

  @Test(
    arguments: [
      (301, .post, true), (302, .post, true), (303, .put, true), (307, .post, false), (308, .put, false),
      (301, .put, false),
    ] as [(HTTPResponse.Status, HTTPRequest.Method, Bool)])
  func `a body that was sent once is not sent again`(
    status: HTTPResponse.Status, method: HTTPRequest.Method, isFollowed: Bool
  ) throws {
    var request = try request(method, "https://a/x")
    request.body = HTTPBody(isReplayable: false) { AsyncStream<Data> { $0.finish() } }
    if isFollowed {
      #expect(try #require(try next(status, "/y", after: request)).body.isEmpty)
    } else {
      let error = #expect(throws: APIError.redirect(.bodySentOnce)) {
        try next(status, "/y?key=secret", after: request)
      }
      #expect(error?.reason.contains("https://a/y?key=<redacted> with \(status)") == true)
    }
  }

  @Test(arguments: [0, 1, 2, 20, 25])
  func `so many are followed, and no more`(limit: Int) throws {
    var policy = policy
    policy.maximumCount = limit
    var chain = RedirectChain(try request(.get, "https://a/0"))
    for number in 0..<limit {
      let response = redirect(302, "/\(number + 1)")
      chain.follow(response, to: try #require(try policy.nextRequest(after: response, in: chain)), after: .zero)
    }
    let response = redirect(302, "/on")
    if limit == 0 {
      #expect(try policy.nextRequest(after: response, in: chain) == nil)
    } else {
      #expect(throws: APIError.redirect(.tooMany)) { try policy.nextRequest(after: response, in: chain) }
    }
  }

  @Test(
    arguments: [
      (.get, "/x", nil, true), (.get, "", nil, false), (.get, "#part", nil, true), (.get, "/x?", nil, false),
      (.get, "/x", "a=1", false), (.post, "/x", nil, false), (.head, "/x", nil, true),
    ] as [(HTTPRequest.Method, String, String?, Bool)])
  func `the same request again is a loop, unless a cookie was set`(
    method: HTTPRequest.Method, location: String, cookie: String?, isLoop: Bool
  ) throws {
    var response = redirect(302, location)
    response.fields[.setCookie] = cookie
    let chain = RedirectChain(try request(method, "https://a/x"))
    if isLoop {
      #expect(throws: APIError.redirect(.loop)) { try policy.nextRequest(after: response, in: chain) }
    } else {
      _ = try policy.nextRequest(after: response, in: chain)
    }
  }

  @Test func `a cookie lets a circle turn once more`() throws {
    var chain = RedirectChain(try request(.get, "https://a/x"))
    for (location, cookie) in [("/y", nil), ("/x", "seen=1"), ("/y", nil)] as [(String, String?)] {
      var response = redirect(302, location)
      response.fields[.setCookie] = cookie
      chain.follow(response, to: try #require(try policy.nextRequest(after: response, in: chain)), after: .zero)
    }
    #expect(throws: APIError.redirect(.loop)) { try policy.nextRequest(after: redirect(302, "/x"), in: chain) }
  }

  @Test func `a review that leads elsewhere takes along what it gives itself, and no other secret`() throws {
    var policy = policy
    policy.review = { request, _ in
      var request = request
      request.url = try #require(URL(string: "https://mirror/y"))
      request.fields["X-Mirror-Key"] = "given"
      request.fields[.cookie] = "given"
      return request
    }
    var request = try request(.get, "https://a/y")
    request.fields = [.authorization: "secret", .cookie: "secret", .accept: "*/*"]
    let reviewed = try #require(try policy.reviewed(request, from: request.url, by: 302))
    #expect(reviewed.fields == [.cookie: "given", .accept: "*/*", "X-Mirror-Key": "given"])

    policy.review = { request, _ in HTTPRequest(url: try #require(URL(string: "http://a/y"))) }
    #expect(throws: APIError.redirect(.downgrade)) { try policy.reviewed(request, from: request.url, by: 302) }
    policy.allowsDowngrade = true
    #expect(try policy.reviewed(request, from: request.url, by: 302) != nil)
  }

  @Test func `a longer circle is a loop when the request is the same, and not when it lost its credentials`() throws {
    var first = try request(.get, "https://a/x")
    first.fields[.authorization] = "secret"
    var chain = RedirectChain(first)
    for location in ["https://b/", "https://a/x"] {
      let response = redirect(302, location)
      chain.follow(response, to: try #require(try policy.nextRequest(after: response, in: chain)), after: .zero)
    }
    #expect(throws: APIError.redirect(.loop)) {
      try policy.nextRequest(after: redirect(302, "https://b/"), in: chain)
    }
  }

  private func request(_ method: HTTPRequest.Method, _ url: String) throws -> HTTPRequest {
    HTTPRequest(method: method, url: try #require(URL(string: url)))
  }

  private func redirect(_ status: HTTPResponse.Status, _ location: String?) -> HTTPResponse {
    var response = HTTPResponse(status: status)
    response.fields[.location] = location
    return response
  }

  private func next(
    _ status: HTTPResponse.Status, _ location: String?, after request: HTTPRequest,
    by policy: RedirectPolicy = .standard
  ) throws -> HTTPRequest? {
    try policy.nextRequest(after: redirect(status, location), in: RedirectChain(request))
  }
}
