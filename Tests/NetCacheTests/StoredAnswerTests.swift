import Foundation
import NetCore
import Testing

@testable import NetCache

/// What a stored response is answered as.
@Suite struct StoredAnswerTests {
  private static let stored: HTTPFields = [.eTag: "\"a\"", .lastModified: date(-100), .date: date(0)]

  private func answer(
    _ fields: HTTPFields, stored: HTTPFields = Self.stored, status: HTTPResponse.Status = .ok,
    method: HTTPRequest.Method = .get, length: Int64 = 100, mayBeNotModified: Bool = true
  ) throws -> StoredAnswer {
    let request = HTTPRequest(method: method, url: try #require(URL(string: "https://a/1")), fields: fields)
    return StoredAnswer(
      head("https://a/1", status: status, fields: stored), length: length,
      to: RequestFacts(request, mode: .standard), mayBeNotModified: mayBeNotModified)
  }

  @Test(
    arguments: [
      ([:], .whole), ([.ifNoneMatch: "\"a\""], .notModified), ([.ifNoneMatch: "W/\"a\""], .notModified),
      ([.ifNoneMatch: "\"b\""], .whole), ([.ifNoneMatch: "\"b\", \"a\""], .notModified),
      ([.ifNoneMatch: "\"b\",W/\"a\" , \"c\""], .notModified), ([.ifNoneMatch: "*"], .notModified),
      ([.ifNoneMatch: "\"b\"", .ifNoneMatch: "\"a\""], .notModified), ([.ifNoneMatch: "a"], .whole),
      ([.ifNoneMatch: "\"b, \"a\"\""], .whole), ([.ifNoneMatch: "\"A\""], .whole), ([.ifNoneMatch: ""], .whole),
      ([.ifModifiedSince: date(-100)], .notModified), ([.ifModifiedSince: date(-99)], .notModified),
      ([.ifModifiedSince: date(-101)], .whole), ([.ifModifiedSince: "yesterday"], .whole),
      ([.ifModifiedSince: date(-100), .ifNoneMatch: "\"b\""], .whole),
      ([.ifModifiedSince: date(-101), .ifNoneMatch: "\"a\""], .notModified),
    ] as [(HTTPFields, StoredAnswer)])
  func `section 4.3.2: a caller's own condition`(fields: HTTPFields, expected: StoredAnswer) throws {
    #expect(try answer(fields) == expected)
    #expect(try answer(fields, method: .head) == expected)
    #expect(try answer(fields, mayBeNotModified: false) == .whole)
    #expect(try answer(fields, status: 404) == .whole)
  }

  @Test(
    arguments: [
      ("a weak tag", [.eTag: "W/\"a\""], [.ifNoneMatch: "\"a\""], .notModified),
      ("no tag", [:], [.ifNoneMatch: "\"a\""], .whole), ("no tag, and a star", [:], [.ifNoneMatch: "*"], .notModified),
      ("no date of a change: that of the response", [.date: date(0)], [.ifModifiedSince: date(0)], .notModified),
      ("the same, earlier", [.date: date(0)], [.ifModifiedSince: date(-1)], .whole),
    ] as [(String, HTTPFields, HTTPFields, StoredAnswer)])
  func `section 4.3.2: what is stored decides`(
    name: String, stored: HTTPFields, fields: HTTPFields, expected: StoredAnswer
  ) throws {
    #expect(try answer(fields, stored: stored) == expected)
  }

  @Test(
    arguments: [
      ("bytes=0-9", .part(0..<10)), ("bytes=0-0", .part(0..<1)), ("bytes=99-", .part(99..<100)),
      ("bytes=90-200", .part(90..<100)), ("bytes=-10", .part(90..<100)), ("bytes=-200", .part(0..<100)),
      ("BYTES=0-9", .part(0..<10)), ("bytes=100-", .none), ("bytes=100-200", .none), ("bytes=9-0", .none),
      ("bytes=-0", .none), ("bytes=-", .none), ("bytes=", .none), ("bytes=0-9,20-29", .none), ("bytes 0-9", .none),
      ("bytes=a-9", .none), ("bytes=0-9-", .none), ("bytes=+0-9", .none), ("lines=0-9", .none), ("bytes= 0-9", .none),
      ("bytes=0-9999999999999999999999", .none),
    ] as [(String, StoredAnswer)])
  func `RFC 9110, section 14: parts`(range: String, expected: StoredAnswer) throws {
    #expect(try answer([.range: range]) == expected)
    #expect(try answer([.range: range], mayBeNotModified: false) == expected)
    #expect(try answer([.range: range], method: .head) == .whole)
    #expect(try answer([.range: range], status: 404) == .whole)
  }

  @Test(
    arguments: [
      ("\"a\"", "\"a\"", true), ("\"b\"", "\"a\"", false), ("W/\"a\"", "\"a\"", false), ("\"a\"", "W/\"a\"", false),
      ("W/\"a\"", "W/\"a\"", false), (date(-100), "\"a\"", true), (date(-99), "\"a\"", false), ("*", "\"a\"", false),
    ])
  func `RFC 9110, section 13.1.5: If-Range`(ifRange: String, tag: String, isCut: Bool) throws {
    var stored = Self.stored
    stored[.eTag] = tag
    let found = try answer([.range: "bytes=0-9", .ifRange: ifRange], stored: stored)
    #expect(found == (isCut ? .part(0..<10) : .whole))
  }

  @Test func `RFC 9110, section 13.2.2: a condition that is met comes before the part`() throws {
    #expect(try answer([.range: "bytes=0-9", .ifNoneMatch: "\"a\""]) == .notModified)
    #expect(try answer([.range: "bytes=0-9", .ifNoneMatch: "\"b\""]) == .part(0..<10))
    #expect(try answer([.range: "bytes=0-"], length: 0) == .none)
  }
}

/// RFC 9111, sections 4.3.4 and 4.3.5: what a newer response says about stored ones.
@Suite struct ConfirmationTests {
  private let policy = CachePolicy()

  private func stored(_ id: Int64, _ fields: HTTPFields) -> StoredResponse {
    StoredResponse(id: id, head: head("https://a/1", fields: fields, at: start + TimeInterval(id)), length: 0)
  }

  @Test(
    arguments: [
      ("the tag asked about", [.eTag: "\"a\""], 1, 1), ("another's tag", [.eTag: "\"b\""], 1, 2),
      ("nobody's tag", [.eTag: "\"z\""], 1, nil), ("no validator", [:], 1, 1),
      ("a date", [.lastModified: date(-9)], 1, 3),
      ("nobody's date", [.lastModified: date(-8)], 1, nil),
      ("a strong tag for the weak one asked about", [.eTag: "\"w\""], 4, 4),
      ("a strong tag for a weak one", [.eTag: "\"w\""], 1, nil),
      ("a weak tag for a weak one", [.eTag: "W/\"w\""], 4, 4),
      ("a weak tag for a strong one", [.eTag: "W/\"a\""], 1, 1),
      ("a tag before a date", [.eTag: "\"b\"", .lastModified: date(-9)], 3, 2),
      ("unasked, no validator", [:], nil, nil),
      ("unasked, a tag", [.eTag: "\"a\""], nil, 1), ("unasked, the newest of a weak tag", [.eTag: "W/\"w\""], nil, 5),
    ] as [(String, HTTPFields, Int64?, Int64?)])
  func `section 4.3.4: which response a 304 confirms`(
    name: String, fields: HTTPFields, asked: Int64?, expected: Int64?
  ) {
    let all = [
      stored(1, [.eTag: "\"a\"", .lastModified: date(-7)]), stored(2, [.eTag: "\"b\""]),
      stored(3, [.lastModified: date(-9)]),
      stored(4, [.eTag: "W/\"w\""]), stored(5, [.eTag: "W/\"w\""]),
    ]
    let question = all.first { $0.id == asked }
    #expect(policy.confirmed(by: fields, asked: question, among: all)?.id == expected)
  }

  @Test func `section 4.3.4: without any validator only the one response there is`() {
    let bare = stored(1, [:])
    #expect(policy.confirmed(by: [:], asked: nil, among: [bare])?.id == 1)
    #expect(policy.confirmed(by: [:], asked: nil, among: [bare, stored(2, [:])]) == nil)
    #expect(policy.confirmed(by: [:], asked: nil, among: []) == nil)
  }

  @Test(
    arguments: [
      ([:], true), ([.eTag: "\"a\""], true), ([.eTag: "\"b\""], false), ([.eTag: "W/\"a\""], false),
      ([.lastModified: date(-9)], true), ([.lastModified: date(-8)], false), ([.contentLength: "3"], true),
      ([.contentLength: "4"], false), ([.eTag: "\"a\"", .contentLength: "4"], false), ([.contentType: "x/y"], true),
    ] as [(HTTPFields, Bool)])
  func `section 4.3.5: whether a HEAD is about what is stored`(fields: HTTPFields, isAbout: Bool) {
    let stored = head("https://a/1", fields: [.eTag: "\"a\"", .lastModified: date(-9), .contentLength: "3"])
    #expect(policy.isAbout(stored, fields) == isAbout)
  }

  @Test(
    arguments: [
      ("X-A", "old", "new", "new"), ("X-A", "old", nil, "old"), ("X-A", nil, "new", "new"),
      ("Cache-Control", "max-age=1", "max-age=2", "max-age=2"), ("Expires", "0", date(9), date(9)),
      ("ETag", "\"a\"", "W/\"a\"", "W/\"a\""), ("Content-Type", "a/b", "c/d", "c/d"),
      ("Content-Location", "/a", "/b", "/b"), ("Content-Language", "de", "en", "en"),
      ("Content-Length", "3", "0", "3"), ("Content-Encoding", "br", "gzip", "br"),
      ("Content-Range", nil, "bytes 0-1/2", nil),
      ("Vary", "X-A", "X-B", "X-A"), ("Age", "30", nil, nil), ("Age", "30", "5", "5"), ("Set-Cookie", nil, "a=1", nil),
      ("Keep-Alive", nil, "5", nil), ("Upgrade", nil, "h2", nil), ("Proxy-Authenticate", nil, "Basic", nil),
      ("X-Hop", "old", "new", "old"), ("Connection", nil, "X-Hop", nil), ("Date", date(-50), nil, date(60)),
    ] as [(HTTPField.Name, String?, String?, String?)])
  func `section 3.2: which fields of a 304 replace stored ones`(
    name: HTTPField.Name, old: String?, new: String?, expected: String?
  ) {
    var fields: HTTPFields = [:]
    fields[name] = old
    var newer: HTTPFields = [.connection: "close, x-hop"]
    newer[name] = new
    let freshened = head("https://a/1", fields: fields).freshened(
      by: newer, requestTime: start + 59, responseTime: start + 60)
    #expect(freshened.fields[name] == expected)
    #expect(freshened.responseTime == start + 60)
  }

  @Test func `section 3.2: several fields of a name replace several`() {
    let old = head("https://a/1", fields: [.link: "<a>", .link: "<b>", "X-A": "1"])
    let new = old.freshened(by: [.link: "<c>"], requestTime: start, responseTime: start)
    #expect(new.fields[values: .link] == ["<c>"])
    #expect(new.fields["X-A"] == "1")
  }

  @Test func `section 3.1: fields of a connection and cookies are not stored`() throws {
    let response = HTTPResponse(fields: [
      .connection: "close, X-Hop", "X-Hop": "1", "Keep-Alive": "5", .transferEncoding: "chunked", .upgrade: "h2",
      .trailer: "X-T", .te: "trailers", .proxyAuthenticate: "Basic", "Proxy-Authentication-Info": "x",
      .proxyAuthorization: "x", "Proxy-Connection": "close", .setCookie: "a=1", "Set-Cookie2": "b", "X-Kept": "1",
      .cacheControl: "max-age=1",
    ])
    let request = HTTPRequest(url: try #require(URL(string: "https://a/1")))
    let stored = StoredHead(
      response, to: request, key: CacheKey(partition: "", url: "https://a/1"), requestTime: start, responseTime: start)
    #expect(stored.fields == ["X-Kept": "1", .cacheControl: "max-age=1", .date: date(0)])
  }

  @Test func `section 4.2.3: a clock that was set back makes nothing fresh`() {
    let stored = head("https://a/1", fields: [.cacheControl: "max-age=60"], at: start)
    #expect(policy.freshness(of: stored, at: start + 59).isFresh)
    #expect(policy.freshness(of: stored, at: start - 0.5).isFresh)
    #expect(!policy.freshness(of: stored, at: start - 3_600).isFresh)
  }

  @Test func `section 4.2.3: the time the response took counts`() {
    let stored = StoredHead(
      key: CacheKey(partition: "", url: "https://a/1"), variant: "", status: .ok,
      fields: [.cacheControl: "max-age=60", .age: "10", .date: date(10)], requestTime: start, responseTime: start + 10)
    #expect(policy.freshness(of: stored, at: start + 15) == Freshness(age: 25, lifetime: 60))
  }
}
