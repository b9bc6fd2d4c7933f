import NetCore
import Testing

@Suite struct MethodTests {
  @Test(arguments: ["GET", "PURGE", "M-SEARCH", "x!#$%&'*+-.^_`|~9"])
  func `a token is a method`(text: String) {
    #expect(HTTPRequest.Method(text)?.rawValue == text)
  }

  @Test(arguments: ["", "GE T", "GET\r\n", "GET\n", "GET\0", "GET:", "GÉT", "GET /x HTTP/1.1\r\nX: y"])
  func `what is no token is no method`(text: String) {
    #expect(HTTPRequest.Method(text) == nil)
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, true, true), (.head, true, true), (.options, true, true), (.trace, true, true),
    (.put, false, true), (.delete, false, true), (.post, false, false), (.patch, false, false),
    (.connect, false, false), ("PURGE", false, false), ("get", false, false),
  ])
  func `safe and idempotent methods are those of RFC 9110`(method: HTTPRequest.Method, safe: Bool, idempotent: Bool) {
    #expect(method.isSafe == safe)
    #expect(method.isIdempotent == idempotent)
  }
}

@Suite struct StatusTests {
  @Test(arguments: [-1, 0, 99, 1000])
  func `a status has three digits`(code: Int) {
    #expect(HTTPResponse.Status(code: code) == nil)
  }

  @Test(arguments: [
    (100, HTTPResponse.Status.Kind.informational), (200, .successful), (299, .successful), (304, .redirection),
    (404, .clientError), (599, .serverError), (600, .invalid), (999, .invalid),
  ])
  func `the first digit is the class`(code: Int, kind: HTTPResponse.Status.Kind) throws {
    #expect(try #require(HTTPResponse.Status(code: code)).kind == kind)
  }

  @Test func `a status prints its name when it has one`() {
    #expect("\(HTTPResponse.Status.notFound)" == "404 Not Found")
    #expect("\(299 as HTTPResponse.Status)" == "299")
  }
}

@Suite struct FieldTests {
  @Test(arguments: ["", " ", "X Y", "X:", "X\r\nY", "X\n", "X\0", "Ünicode", "X\u{7F}"])
  func `what is no token is no field name`(text: String) {
    #expect(HTTPField.Name(text) == nil)
  }

  @Test(arguments: ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "a\u{1B}[31m", "a\u{7F}"])
  func `a value with a control character is refused`(value: String) {
    #expect(HTTPField(name: "X", value: value) == nil)
    #expect(HTTPField(name: "X", bytes: Array(value.utf8)) == nil)
    var fields: HTTPFields = ["X": value, "Y": "y"]
    fields.append("Z", value)
    #expect(fields.count == 1)
    #expect(fields.rejected == ["X", "Z"])
    fields["X"] = "good"
    fields["Z"] = nil
    #expect(fields.rejected.isEmpty)
  }

  @Test(arguments: ["", "a", "a\tb", "a b", "ünï", "a, b;c=\"d\""])
  func `other values are kept`(value: String) {
    #expect(HTTPField(name: "X", value: value)?.value == value)
  }

  @Test(arguments: [("  a ", "a"), ("\ta b\t ", "a b"), ("  ", ""), (" a", "a"), ("a ", "a")])
  func `white space around a value is no part of it`(given: String, kept: String) {
    #expect(HTTPField(name: "X", value: given)?.value == kept)
    #expect(HTTPField(name: "X", bytes: Array(given.utf8))?.value == kept)
  }

  @Test func `bytes that are not UTF-8 come back unchanged, and read as Latin-1`() throws {
    let field = try #require(HTTPField(name: "X", bytes: [0x63, 0x61, 0x66, 0xE9]))
    #expect(field.bytes == [0x63, 0x61, 0x66, 0xE9])
    #expect(field.value == "café")
  }

  @Test func `names are equal whatever their case, and keep it`() {
    let name: HTTPField.Name = "eTAG"
    #expect(name == .eTag)
    #expect(name.rawName == "eTAG")
    #expect(Set([name, .eTag]).count == 1)
  }
}

@Suite struct FieldsTests {
  @Test func `order and duplicates are kept`() {
    var fields: HTTPFields = [.setCookie: "a=1", "X": "x"]
    fields.append("set-cookie", "b=2")
    fields.append(.setCookie, "c=3")
    #expect(fields[values: .setCookie] == ["a=1", "b=2", "c=3"])
    #expect(fields.map(\.name.rawName) == ["Set-Cookie", "X", "set-cookie", "Set-Cookie"])
  }

  @Test func `several values read as one are joined`() {
    let fields: HTTPFields = [.accept: "a", "ACCEPT": "b"]
    #expect(fields[.accept] == "a, b")
    #expect(fields[.age] == nil)
  }

  @Test func `setting replaces all of a name at the place of the first`() {
    var fields: HTTPFields = ["A": "1", "B": "2", "a": "3", "C": "4"]
    fields["a"] = "5"
    #expect(fields.map { "\($0.name)=\($0.value)" } == ["a=5", "B=2", "C=4"])
    fields["a"] = nil
    #expect(fields.map(\.name.rawName) == ["B", "C"])
  }

  @Test func `overriding replaces whole names`() {
    var fields: HTTPFields = ["A": "1", "a": "2", "B": "3"]
    fields.override(with: ["A": "4", "C": "5"])
    #expect(fields.map { "\($0.name)=\($0.value)" } == ["B=3", "A=4", "C=5"])
  }

  @Test func `a rejected value overrides too, so that the default is not sent in its place`() {
    var fields: HTTPFields = ["X": "default"]
    fields.override(with: ["X": "bad\r\n"])
    #expect(fields["X"] == nil)
    #expect(fields.rejected == ["X"])
  }

  @Test func `printing fields shows no secret`() {
    let fields: HTTPFields = [.authorization: "Bearer s3cret", .accept: "text/plain"]
    #expect("\(fields)" == "Authorization: <redacted>\nAccept: text/plain")
    #expect(!String(reflecting: fields).contains("s3cret"))
    var dumped = ""
    dump(fields, to: &dumped)
    print(fields[0], fields.first as Any, to: &dumped)
    #expect(!dumped.contains("s3cret"))
    let endpoint = Endpoint<String>(
      .post, path: "a", query: ["token": "s3cret"], fields: fields, body: .encoded(["password": "s3cret"]))
    dump(endpoint, to: &dumped)
    print(endpoint, endpoint.body, to: &dumped)
    #expect(!dumped.contains("s3cret"))
  }
}
