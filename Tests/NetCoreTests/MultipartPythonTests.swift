import Foundation
import NetCore
import TestSupport
import Testing

/// Forms, read by parsers that nobody here wrote: `email` of Python's own library, and python-multipart, with which the usual
/// Python servers read forms.
@Suite(.timeLimit(.minutes(1))) struct MultipartPythonTests {
  /// What a parser found. Names are as they were written.
  private struct Found: Decodable {
    let name: String
    let filename: String?
    let type: String?
    let bytes: Data
  }

  private enum Parser {
    case email, multipart
  }

  /// Names, and how they are written where that differs.
  private static let names: [(name: String, written: String?)] = [
    ("plain", nil), ("naïve 日本 🎈", nil), ("a b", nil), ("a;b=c", nil), ("quote\"d", "quote%22d"),
    ("line\r\nbreak", "line%0D%0Abreak"), ("\"; filename=\"evil", "%22; filename=%22evil"), ("100%", nil),
    ("%22", nil), ("a\tb", nil), ("\u{202E}gpj", nil), ("'single'", nil), ("a,b", nil), ("<>&", nil),
    ("e\u{301}", nil), (#"a\b"#, nil), (#"a\"#, "a%5C"), (#"a\\b"#, #"a%5C\b"#), (#"\\\"#, "%5C%5C%5C"),
    (#"\""#, #"\%22"#), (#"\\"; x="y"#, #"%5C\%22; x=%22y"#),
  ]

  private static let contents = [
    Data(), Data("text".utf8), Data("\r\n".utf8), Data("\r\n\r\n".utf8), Data("--".utf8), Data("\r\n--".utf8),
    Data("--b\r\n--b--\r\n".utf8), Data("\n--\r--\n".utf8), Data((0...255).map { UInt8($0) }),
    Data(repeating: 0x0D, count: 300_000),
  ]

  @Test func `email reads names and contents`() async throws {
    try await check(.email)
  }

  @Test(.enabled("python-multipart is not there: Tools/setup --tests gets it", { PythonTools.python != nil }))
  func `python-multipart reads names and contents`() async throws {
    try await check(.multipart)
  }

  private func check(_ parser: Parser) async throws {
    var form = MultipartForm()
    form.append("greeting", "Grüße")
    for (number, (name, _)) in Self.names.enumerated() {
      form.append(name, bytes: Self.contents[number % Self.contents.count], filename: name)
    }
    let found = try await read(form, with: parser)
    let written = ["greeting"] + Self.names.map { $0.written ?? $0.name }
    try #require(found.map(\.name) == written)
    #expect(found.map { $0.filename ?? "none" } == ["none"] + written.dropFirst())
    for (part, found) in zip(form.parts, found) {
      #expect(found.type == part.contentType ?? "text/plain")
      #expect(found.bytes == (try await part.body.collect(upTo: 1_000_000)), "the content of \(found.name)")
    }
  }

  private func read(_ form: MultipartForm, with parser: Parser) async throws -> [Found] {
    let body = try await form.makeBody().collect(upTo: 10_000_000)
    let python = parser == .email ? "python3" : PythonTools.python ?? "python3"
    let script = parser == .email ? Self.emailScript : Self.multipartScript
    let outcome = try await ChildProcess.run([python, "-c", script, form.contentType], input: body)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSONDecoder().decode([Found].self, from: outcome.output)
  }

  private static let emailScript = """
    import base64, email, json, sys
    head = b"Content-Type: " + sys.argv[1].encode() + b"\\r\\n\\r\\n"
    message = email.message_from_bytes(head + sys.stdin.buffer.read())
    assert not message.defects, message.defects
    def found(part):
        fields = email.message.Message()
        for name, value in part.raw_items():
            fields[name] = value.encode("ascii", "surrogateescape").decode()
        return {
            "name": fields.get_param("name", header="content-disposition"),
            "filename": fields.get_param("filename", header="content-disposition"),
            "type": part.get_content_type(),
            "bytes": base64.b64encode(part.get_payload(decode=True)).decode(),
        }
    print(json.dumps([found(part) for part in message.get_payload()]))
    """

  private static let multipartScript = """
    import base64, json, sys
    from python_multipart.multipart import MultipartParser, parse_options_header
    parts, field = [], [b"", b""]
    def on_part_begin(): parts.append({"fields": {}, "bytes": b""})
    def on_header_field(data, start, end): field[0] += data[start:end]
    def on_header_value(data, start, end): field[1] += data[start:end]
    def on_header_end():
        parts[-1]["fields"][field[0].lower()] = field[1]
        field[:] = [b"", b""]
    def on_part_data(data, start, end): parts[-1]["bytes"] += data[start:end]
    kind, options = parse_options_header(sys.argv[1])
    assert kind == b"multipart/form-data"
    callbacks = {name: call for name, call in globals().items() if name.startswith("on_")}
    parser = MultipartParser(options[b"boundary"], callbacks)
    body = sys.stdin.buffer.read()
    for start in range(0, len(body), 1000):
        parser.write(body[start:start + 1000])
    parser.finalize()
    def found(part):
        kind, options = parse_options_header(part["fields"][b"content-disposition"])
        assert kind == b"form-data"
        text = lambda name: options[name].decode() if name in options else None
        return {
            "name": text(b"name"), "filename": text(b"filename"),
            "type": part["fields"].get(b"content-type", b"text/plain").decode(),
            "bytes": base64.b64encode(part["bytes"]).decode(),
        }
    print(json.dumps([found(part) for part in parts]))
    """
}
