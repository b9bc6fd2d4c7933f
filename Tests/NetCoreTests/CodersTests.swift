import Foundation
import NetCore
import NetTesting
import Testing

private struct Event: Codable, Equatable {
  var startsAt: Date
}

/// The value that a client with `coders` reads from `json`.
private func read<Value: Decodable & Sendable>(_ json: String, _ coders: Coders, as type: Value.Type) async throws
  -> Value
{
  try await makeClient(answering(.json(json))) { $0.coders = coders }.send(Endpoint(path: "a"), as: Value.self)
}

@Suite struct CodersTests {
  private static let moment = Date(timeIntervalSince1970: 1_764_577_800)

  @Test(arguments: [
    ("2025-12-01T08:30:00Z", 0), ("2025-12-01T08:30:00.250Z", 0.25), ("2025-12-01T09:30:00+01:00", 0),
    ("2025-12-01T08:30:00.5+00:00", 0.5), ("2025-12-01T08:30:00.123456Z", 0.123456),
  ])
  func `ISO 8601 is read with and without fractions`(text: String, fraction: Double) async throws {
    let event = try await read(#"{"startsAt": "\#(text)"}"#, .json, as: Event.self)
    #expect(abs(event.startsAt.timeIntervalSince(Self.moment) - fraction) < 0.001)
  }

  @Test(arguments: [#""yesterday""#, #""2025-13-01T00:00:00Z""#, "12", "null", #""""#])
  func `what is no date fails with its path`(json: String) async throws {
    let error = try await apiError { try await read(#"{"startsAt": \#(json)}"#, .json, as: Event.self) }
    #expect(error.decodingFailure?.path == "startsAt")
  }

  @Test(arguments: [
    (JSONCoding.Dates.iso8601, #"{"startsAt":"2025-12-01T08:30:00Z"}"#),
    (.secondsSince1970, #"{"startsAt":1764577800}"#), (.millisecondsSince1970, #"{"startsAt":1764577800000}"#),
    (
      .custom(
        encode: { date, encoder in
          var container = encoder.singleValueContainer()
          try container.encode("@\(Int(date.timeIntervalSince1970))")
        },
        decode: { decoder in
          let text = try decoder.singleValueContainer().decode(String.self)
          return Date(timeIntervalSince1970: Double(text.dropFirst()) ?? 0)
        }), #"{"startsAt":"@1764577800"}"#
    ),
  ])
  func `dates are written and read alike`(dates: JSONCoding.Dates, json: String) async throws {
    let coding = JSONCoding(dates: dates)
    let event = Event(startsAt: Self.moment)
    #expect(String(decoding: try coding.encode(event), as: UTF8.self) == json)
    #expect(try coding.decode(Event.self, from: Data(json.utf8)) == event)
  }

  @Test func `snake case is translated both ways`() async throws {
    let event = try await read(#"{"starts_at": 0}"#, .json(dates: .secondsSince1970, keys: .snakeCase), as: Event.self)
    #expect(event.startsAt == Date(timeIntervalSince1970: 0))
  }

  @Test func `a key path leads to the value`() async throws {
    let json = #"{"data": {"user_profile": {"id": 1, "name": "a"}}}"#
    let widget = Widget(id: 1, name: "a")
    #expect(try await read(json, .json(keyPath: "data.user_profile"), as: Widget.self) == widget)
    #expect(try await read(json, .json(keys: .snakeCase, keyPath: "data.user_profile"), as: Widget.self) == widget)
    #expect(try await read(json, .json(keys: .snakeCase, keyPath: "data.userProfile"), as: Widget.self) == widget)
    #expect(try await read(#"{"data": [1, 2]}"#, .json(keyPath: "data"), as: [Int].self) == [1, 2])
  }

  @Test func `a failure under a key path names the whole path`() async throws {
    let coders = Coders.json(keyPath: "data.user")
    let missing = try await apiError { try await read(#"{"data": {}}"#, coders, as: Widget.self) }
    #expect(missing.decodingFailure?.path == "data.user")
    let inner = try await apiError { try await read(#"{"data": {"user": {"id": "x"}}}"#, coders, as: Widget.self) }
    #expect(inner.decodingFailure?.path == "data.user.id")
  }

  @Test func `any encoder and decoder will do`() async throws {
    struct Lines: ContentEncoder, ContentDecoder {
      let contentType = "text/lines"
      let accept = "text/lines"
      func encode(_ value: some Encodable) throws -> Data { Data("\(value)".utf8) }
      func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        let lines = String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
        guard let value = lines as? Value else { throw CocoaError(.coderInvalidValue) }
        return value
      }
    }
    let transport = answering(.text("a\nb"))
    let client = makeClient(transport) { $0.coders = Coders(encoder: Lines(), decoder: Lines()) }
    let lines = try await client.send(Endpoint(.post, path: "a", body: .encoded(7)), as: [String].self)
    #expect(lines == ["a", "b"])
    #expect(transport.requests[0].text == "7")
    #expect(transport.requests[0].fields[.accept] == "text/lines")
    #expect(transport.requests[0].fields[.contentType] == "text/lines")
    let error = try await apiError { try await client.send(Endpoint(path: "a"), as: Int.self) }
    #expect(error == .decoding)
  }
}
