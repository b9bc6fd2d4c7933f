import Foundation
import NetCore
import NetTesting
import Testing

private let secrets = ["s3cret-token", "s3cret-cookie", "s3cret-query", "s3cret-password", "s3cret-number"]

/// Everything that a call with a secret in every usual place writes and throws.
private func output(answering response: HTTPResponse) async throws -> String {
  let sink = MemorySink()
  let transport = answering(response)
  let client = makeClient(transport) { $0.observers = [HTTPLog(level: .debug, sink: sink)] }
  let fields: HTTPFields = [
    .authorization: "Bearer s3cret-token", .cookie: "session=s3cret-cookie", "X-API-Key": "s3cret-token",
  ]
  let body = RequestBody.encoded(["password": "s3cret-password", "user": "s3cret-password"])
  let request = Endpoint<Widget>(.post, path: "login", query: ["token": "s3cret-query"], fields: fields, body: body)
  let error = try await apiError { try await client.send(request) }
  let sent = try #require(transport.requests.first)
  let wire = HTTPRequest(method: sent.method, url: sent.url, fields: sent.fields, body: HTTPBody(sent.body))
  let parts = [
    sink.text, error.description, error.debugDescription, error.localizedDescription, "\(error)", wire.curlCommand(),
    "\(wire)", String(reflecting: wire), "\(sent.fields)",
    error.response.map { "\($0) \(String(reflecting: $0))" } ?? "",
  ]
  return parts.joined(separator: "\n")
}

@Suite struct SecretTests {
  private static let secretFields: HTTPFields = [.setCookie: "session=s3cret-cookie", "X-Token": "s3cret-token"]

  @Test(arguments: [
    HTTPResponse.json(#"{"password": "s3cret-password", "n": {"pin": "s3cret-number"}}"#, fields: secretFields),
    .json(#"{"password": "s3cret-password", "message": "no"}"#, status: 500, fields: secretFields),
    .json(#"{"id": "s3cret-password"#, fields: secretFields), .json(#""s3cret-password""#),
    .json(#"["s3cret-password", {"error": {"password": ["s3cret-password"]}}]"#),
    .text("password=s3cret-password", status: 403), .bytes(Data("s3cret-password".utf8), contentType: "image/png"),
    .bytes(Data("password=s3cret-password".utf8), contentType: "application/x-www-form-urlencoded", status: 400),
    .json(#"{"id": "x", "name": {"s3": "s3cret-password\"#),
  ])
  func `a secret appears in no log, error or curl command`(response: HTTPResponse) async throws {
    let text = try await output(answering: response)
    #expect(text.contains("Authorization: <redacted>"))
    #expect(text.contains("token=<redacted>"))
    for secret in secrets { #expect(!text.contains(secret), "\(text)") }
  }
}

@Suite struct RedactorTests {
  @Test(arguments: [
    ("https://h/p?page=2&token=abc", "https://h/p?page=2&token=<redacted>"),
    ("https://h/p?abc", "https://h/p?<redacted>"), ("https://h/p?a=b=c&&page=1", "https://h/p?a=<redacted>&&page=1"),
    ("https://user:pw@h/p#frag", "https://<redacted>@h/p"), ("https://h/p?%70age=2", "https://h/p?%70age=<redacted>"),
    ("https://h/p?page=2#token=abc", "https://h/p?page=2"), ("https://h", "https://h"),
  ])
  func `a URL shows what is allowed`(url: String, shown: String) throws {
    #expect(Redactor.standard.redact(try #require(URL(string: url))) == shown)
  }

  @Test(arguments: [
    (#"{"message": "shown", "pin": "1234"}"#, #"{"message":"shown","pin":"<redacted>"}"#),
    (#"{"pin": 1234, "ok": true, "none": null}"#, #"{"pin":<redacted>,"ok":true,"none":null}"#),
    (#"{"errors": ["a", {"pin": "b", "code": 7}]}"#, #"{"errors":["a",{"pin":"<redacted>","code":7}]}"#),
    (#"["a", 1]"#, #"["<redacted>",<redacted>]"#), (#"{"MESSAGE": "shown"}"#, #"{"MESSAGE":"shown"}"#),
    (#"{"a\"message": "hidden"}"#, #"{"a\"message":"<redacted>"}"#),
    (#"{"message": "cut"#, #"{"message":"cut""#), (#"{"pin": oops}"#, #"{"pin":…"#),
    (#"{"a": {"message"}"#, #"{"a":{"message"}"#),
    (#"{"message" "swap", "pin": "x"}"#, #"{"message""swap","pin":"<redacted>"}"#),
  ])
  func `a JSON body shows what is allowed, whole or not`(json: String, shown: String) {
    #expect(Redactor.standard.excerpt(of: Data(json.utf8), contentType: "application/json", isFailure: true) == shown)
  }

  @Test func `the members of error messages are shown of a failure only`() {
    let json = Data(#"{"code": "482913", "message": "private", "page": 2}"#.utf8)
    let shown = #"{"code":"<redacted>","message":"<redacted>","page":2}"#
    #expect(Redactor.standard.excerpt(of: json, contentType: "application/json") == shown)
  }

  @Test(arguments: ["page=1;pin=S3CRET", "page=1&\u{301}pin=S3CRET", "pin=S3CRET&page=1"])
  func `a form is taken apart as the strictest server does`(form: String) {
    let shown = Redactor.standard.excerpt(of: Data(form.utf8), contentType: "application/x-www-form-urlencoded")
    #expect(!shown.contains("S3CRET"))
    #expect(shown.contains("page=1"))
  }

  @Test func `a body of blanks takes no time`() {
    let json = Data(#"["",1"#.utf8) + Data(repeating: 0x20, count: 4_000_000) + Data("}".utf8)
    #expect(Redactor.standard.excerpt(of: json, contentType: nil).hasPrefix(#"["<redacted>""#))
  }

  @Test func `a body is cut at the limit`() {
    let json = Data(#"{"message": "\#(String(repeating: "x", count: 5_000))", "pin": 1}"#.utf8)
    let excerpt = Redactor.standard.excerpt(of: json, contentType: "application/json", isFailure: true, limit: 100)
    #expect(excerpt.count < 120)
  }

  @Test(arguments: [
    ("application/json", "{\"message\":\"a\n[7 Admin] done\",\"b\n\":1}"),
    ("application/x-www-form-urlencoded", "a\nb=1&\n=2"), ("text/a\n[7 Admin] done", "a\nb"),
  ])
  func `a body writes no line of its own`(type: String, body: String) {
    let text = Redactor.standard.excerpt(of: Data(body.utf8), contentType: type, isFailure: true)
    #expect(!text.contains("\n") && !text.isEmpty)
  }

  @Test func `a negative limit shows nothing`() {
    for type in ["application/json", "application/x-www-form-urlencoded"] {
      #expect(!Redactor.standard.excerpt(of: Data("{a=b".utf8), contentType: type, limit: -1).contains("a"))
    }
  }

  @Test func `other bodies show their size and type`() {
    let bytes = Data("secret".utf8)
    #expect(Redactor.standard.excerpt(of: bytes, contentType: "text/plain; charset=utf-8") == "<6 bytes of text/plain>")
    #expect(Redactor.standard.excerpt(of: bytes, contentType: nil) == "<6 bytes>")
    #expect(Redactor.standard.excerpt(of: bytes, contentType: "application/json") == "<6 bytes of application/json>")
  }

  @Test func `an allow-list can be longer`() throws {
    let redactor = Redactor.standard.allowing(fields: ["X-Trace"], queryItems: ["q"], jsonKeys: ["Tip"])
    #expect(redactor.redact(["X-Trace": "t", "X-Key": "k"])["X-Trace"] == "t")
    #expect(redactor.redact(try #require(URL(string: "https://h/?q=a"))) == "https://h/?q=a")
    #expect(redactor.excerpt(of: Data(#"{"tip": "a"}"#.utf8), contentType: nil) == #"{"tip":"a"}"#)
  }
}
