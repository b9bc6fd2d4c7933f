import Foundation
import Testing

@_spi(NetKits) @testable import NetCore

@Suite struct DownloadDecisionTests {
  struct Row: CustomTestStringConvertible {
    var name: String
    var status: HTTPResponse.Status = 206
    var fields: HTTPFields = [.contentRange: "bytes 100-199/200", .eTag: #""v1""#]
    var length: Int64? = 100
    var asked: DownloadDecision.Continuation? = .init(offset: 100, validator: #""v1""#, total: 200)
    var decision: DownloadDecision = .startOver

    var testDescription: String { name }

    init(_ name: String, _ decision: DownloadDecision, _ change: (inout Row) -> Void = { _ in }) {
      (self.name, self.decision) = (name, decision)
      change(&self)
    }

    /// A 206 with such a `Content-Range`.
    static func range(_ value: String, _ decision: DownloadDecision = .startOver) -> Row {
      Row(value, decision) {
        $0.fields[.contentRange] = value
        $0.length = nil
      }
    }
  }

  static let rows: [Row] = [
    Row("what was asked for", .goOn(end: 200, total: 200)),
    Row("without a length", .goOn(end: 200, total: 200)) { $0.length = nil },
    Row("without a tag", .goOn(end: 200, total: 200)) { $0.fields.remove(.eTag) },
    Row("without a known total", .goOn(end: 200, total: 200)) { $0.asked?.total = nil },
    Row("by date", .goOn(end: 200, total: 200)) {
      $0.fields = [.contentRange: "bytes 100-199/200", .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"]
      $0.asked?.validator = "Sun, 06 Nov 1994 08:49:37 GMT"
    },
    Row("another date", .startOver) {
      $0.fields = [.contentRange: "bytes 100-199/200", .lastModified: "Sun, 06 Nov 1994 08:49:38 GMT"]
      $0.asked?.validator = "Sun, 06 Nov 1994 08:49:37 GMT"
    },
    Row("identity", .goOn(end: 200, total: 200)) { $0.fields[.contentEncoding] = "Identity" },
    Row("another tag", .startOver) { $0.fields[.eTag] = #""v2""# },
    Row("a weak tag", .startOver) { $0.fields[.eTag] = #"W/"v1""# },
    Row("two tags", .startOver) { $0.fields.append(.eTag, #""v2""#) },
    Row("coded", .startOver) { $0.fields[.contentEncoding] = "gzip" },
    Row("parts", .startOver) { $0.fields[.contentType] = "Multipart/ByteRanges; boundary=x" },
    Row("a shorter body", .startOver) { $0.length = 99 },
    Row("a longer body", .startOver) { $0.length = 101 },
    Row("no range", .startOver) { $0.fields.remove(.contentRange) },
    Row("two ranges", .startOver) { $0.fields.append(.contentRange, "bytes 100-199/200") },
    Row("a part of the rest", .goOn(end: 150, total: 200)) {
      $0.fields[.contentRange] = "bytes 100-149/200"
      $0.length = 50
    },
    .range("bytes 0-199/200"), .range("bytes 99-199/200"), .range("bytes 101-199/200"), .range("bytes 100-199/201"),
    .range("bytes 100-200/200"), .range("bytes 100-199/199"), .range("bytes 199-100/200"), .range("bytes -199/200"),
    .range("bytes 100-/200"), .range("bytes */200"), .range("bytes 100-199"), .range("bytes 100-199/"),
    .range("items 100-199/200"), .range("bytes=100-199/200"), .range("100-199/200"), .range(""),
    .range("bytes +100-199/200"), .range("bytes 100-199/-1"), .range("bytes 0x64-199/200"), .range("bytes 1e2-199/200"),
    .range("bytes 100-9223372036854775807/*"), .range("bytes 100-99999999999999999999/*"),
    .range("bytes 18446744073709551716-199/200"), .range("bytes 100-199/200, bytes 0-1/200"),
    .range("bytes 100-199/*", .goOn(end: 200, total: 200)), .range("BYTES 100-199/200", .goOn(end: 200, total: 200)),
    Row("no total anywhere", .startOver) {
      $0.fields[.contentRange] = "bytes 100-199/*"
      $0.asked?.total = nil
    },
    Row("all of it", .begin) { $0.status = 200 },
    Row("all of it, from a proxy", .begin) { $0.status = 203 },
    Row("nothing is there", .startOver) { $0.status = 416 },
    Row("all of it, unasked", .begin) { ($0.status, $0.asked) = (200, nil) },
    Row("a part, unasked", .refuse) { $0.asked = nil },
    Row("416, unasked", .refuse) { ($0.status, $0.asked) = (416, nil) },
    Row("204", .refuse) { $0.status = 204 },
    Row("304", .refuse) { $0.status = 304 },
    Row("404", .refuse) { $0.status = 404 },
    Row("503", .refuse) { $0.status = 503 },
  ]

  @Test(arguments: rows) func `what a response means`(_ row: Row) {
    let decision = DownloadDecision(
      status: row.status, fields: row.fields, bodyLength: row.length, asked: row.asked)
    #expect(decision == row.decision)
  }

  struct Validator: CustomTestStringConvertible {
    var fields: HTTPFields
    var validator: String?

    var testDescription: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "; ") }
  }

  private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

  @Test(arguments: [
    Validator(fields: [.eTag: #""v1""#], validator: #""v1""#),
    Validator(fields: [.eTag: #""""#], validator: #""""#),
    Validator(fields: [.eTag: #"W/"v1""#]),
    Validator(fields: [.eTag: "v1"]),
    Validator(fields: [.eTag: #""v1"#]),
    Validator(fields: [.eTag: #"""#]),
    Validator(fields: [.eTag: #""a b""#]),
    Validator(fields: [.eTag: #""a", "b""#]),
    Validator(fields: [.eTag: "\"" + String(repeating: "x", count: 2_000) + "\""]),
    Validator(fields: [:]),
    Validator(fields: [.lastModified: modified]),
    Validator(fields: [.lastModified: modified, .date: modified]),
    Validator(fields: [.lastModified: modified, .date: "Sun, 06 Nov 1994 08:50:36 GMT"]),
    Validator(fields: [.lastModified: modified, .date: "Sun, 06 Nov 1994 08:50:37 GMT"], validator: modified),
    Validator(fields: [.lastModified: modified, .date: "yesterday"]),
    Validator(fields: [.lastModified: "yesterday", .date: modified]),
    Validator(fields: [.lastModified: modified, .date: "Mon, 07 Nov 1994 08:49:37 GMT", .eTag: #"W/"v1""#]),
  ]) func `what may stand in If-Range`(_ row: Validator) {
    #expect(StrongValidator.find(in: row.fields, now: Date(timeIntervalSince1970: 800_000_000)) == row.validator)
  }

  struct Digest: CustomTestStringConvertible {
    var value: String
    var isUnderstood = false

    var testDescription: String { value }
  }

  /// Of no bytes.
  private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  @Test(arguments: [
    Digest(value: "sha-256=:\(base64):", isUnderstood: true),
    Digest(value: "sha-512=:AAAA:, sha-256=:\(base64):", isUnderstood: true),
    Digest(value: "sha-256=:\(base64):, sha-512=:AAAA:", isUnderstood: true),
    Digest(value: "sha-256=:\(base64):;q=1", isUnderstood: true),
    Digest(value: "sha-256=:AAAA:, sha-256=:\(base64):", isUnderstood: true),
    Digest(value: "sha-256=:\(base64):, sha-256=:AAAA:"),
    Digest(value: "sha-256=\(base64)"), Digest(value: "sha-256=:\(base64)"), Digest(value: "sha-256=::"),
    Digest(value: "sha-256=:"), Digest(value: "sha-256="), Digest(value: "sha-256"), Digest(value: ""),
    Digest(value: "SHA-256=:\(base64):"), Digest(value: "md5=:\(base64):"), Digest(value: "sha-256=:****:"),
    Digest(value: "sha-256=:\(base64)AAAA:"), Digest(value: ",,,=,;:"), Digest(value: "sha-256=?1"),
  ]) func `what Repr-Digest says`(_ row: Digest) {
    #expect(ReprDigest.sha256(in: row.value) == (row.isUnderstood ? SHA256.digest(of: Data()) : nil))
  }

  @Test(arguments: [
    "", "e3b0", String(repeating: "g", count: 64), String(repeating: "0", count: 65),
    "0x" + String(repeating: "0", count: 62),
  ])
  func `what is no SHA-256 in hexadecimal`(_ text: String) {
    #expect(throws: APIError.invalidRequest) { try ReprDigest.sha256(hexadecimal: text) }
  }

  @Test(arguments: [
    "", "{}", "null", "[1]", "\u{0}", #"{"version":2,"request":{"digest":"x"}}"#, String(repeating: " ", count: 20_000),
  ])
  func `metadata of another make is none`(_ text: String) {
    #expect(PartialMetadata(reading: Data(text.utf8)) == nil)
  }

  @Test func `metadata is written without the URL, which may hold a secret`() throws {
    let request = RequestIdentity(Endpoint<Void>(path: "maps/oslo", query: ["token": "s3cret"]))
    let response = HTTPResponse(
      fields: [.eTag: #""v1""#, .contentDisposition: "attachment; filename=oslo.zip"], body: .init(Data(count: 7)))
    let metadata = PartialMetadata(response, to: request, now: Date())
    let text = try String(decoding: metadata.written(), as: UTF8.self)
    #expect(PartialMetadata(reading: Data(text.utf8)) == metadata)
    #expect(!text.contains("oslo/") && !text.contains("s3cret") && !text.contains("maps"))
    #expect(metadata.filename == "oslo.zip" && metadata.total == 7)
  }

  @Test(arguments: [("map.zip", "map 2.zip"), ("map", "map 2"), ("a.tar.gz", "a.tar 2.gz"), (".x", ".x 2")])
  func `a name that is taken gets a number`(_ name: String, _ next: String) {
    #expect(DownloadPlace.numbered(name, 2) == next)
  }
}
