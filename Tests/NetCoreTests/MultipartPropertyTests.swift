import Foundation
import NetCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct MultipartPropertyTests {
  @Test(arguments: 0..<100 as Range<UInt64>)
  func `what is built is read, however it is divided`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var form = MultipartForm(using: &generator)
    var expected: [String] = []
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let part = try await MultipartForm.Part.random(boundary: form.boundary, using: &generator)
      form.append(part)
      let bytes = try await part.body.collect(upTo: 10_000)
      expected.append(Self.describe(part.name, part.filename, part.contentType, bytes))
    }
    let body = try form.makeBody()
    let bytes = try await body.collect(upTo: 100_000)
    #expect(body.length.map { $0 == Int64(bytes.count) } != false)
    for chunks in [[bytes], bytes.bytewise, bytes.randomlyDivided(using: &generator)] {
      let parts = try await readForm(chunks, contentType: form.contentType).get()
      #expect(parts.map { Self.describe($0.name, $0.filename, $0.contentType, $0.bytes) } == expected)
    }
  }

  private static func describe(_ name: String, _ filename: String?, _ type: String?, _ bytes: Data) -> String {
    "\(name.debugDescription) \(filename.debugDescription) \(type ?? "-") \(bytes.base64EncodedString())"
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whatever comes, it is read or refused, within bounds, and the same however it is divided`(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let bytes = Self.garbage(using: &generator)
      let limits = Self.limits(using: &generator)
      let whole = try await readForm([bytes], limits: limits)
      if case .success(let parts) = whole {
        #expect(parts.count <= limits.maximumPartCount && bytes.count <= Int(limits.maximumSize))
        #expect(parts.allSatisfy { $0.bytes.count <= Int(limits.maximumPartSize) })
      }
      #expect(try await readForm(bytes.bytewise, limits: limits) == whole, "\(bytes.base64EncodedString())")
      let divided = try await readForm(bytes.randomlyDivided(using: &generator), limits: limits)
      #expect(divided == whole, "\(bytes.base64EncodedString())")
    }
  }

  private static func limits(using generator: inout SeededGenerator) -> MultipartReader.Limits {
    var limits = MultipartReader.Limits()
    guard Bool.random(using: &generator) else { return limits }
    limits.maximumPartCount = Int.random(in: 0...4, using: &generator)
    limits.maximumHeadSize = Int.random(in: 0...200, using: &generator)
    limits.maximumPartSize = Int64.random(in: 0...60, using: &generator)
    limits.maximumSize = Int64.random(in: 0...600, using: &generator)
    return limits
  }

  /// What nearly is a form with the boundary `b`.
  private static func garbage(using generator: inout SeededGenerator) -> Data {
    let words = [
      "\r\n", "\r\n--b", "--b", "--", "\r", "\n", "-", "b", " ", "\t", ":", "\r\n\r\n", "Content-Type: x/y\r\n",
      "Content-Disposition: form-data; name=\"a\"\r\n\r\n", "Content-Disposition: form-data; name=\"a\"\r\n",
      "\r\n--b\r\nContent-Disposition: form-data; name=\"n\"; filename=\"f\"\r\n\r\n", "content", "\u{0}", "\"", ";",
      "é",
      "\r\n--b--", "\r\n--b\r\n",
    ]
    var bytes = Data(Bool.random(using: &generator) ? "--b\r\n".utf8 : "".utf8)
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      bytes.append(Data(words.randomElement(using: &generator)!.utf8))
    }
    if Bool.random(using: &generator) { bytes.append(Data("\r\n--b--\r\n".utf8)) }
    for _ in 0..<max(0, Int.random(in: -4...2, using: &generator)) where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
    }
    return bytes
  }
}

extension MultipartForm.Part {
  /// A part whose name and content try to break the form.
  fileprivate static func random(boundary: String, using generator: inout SeededGenerator) async throws -> Self {
    let body = content(boundary: boundary, using: &generator)
    return Self(
      name: name(using: &generator), filename: Bool.random(using: &generator) ? name(using: &generator) : nil,
      contentType: [nil, "text/plain", "a/b; c=\"d\""].randomElement(using: &generator)!,
      body: Bool.random(using: &generator)
        ? HTTPBody(body)
        : HTTPBody(length: Bool.random(using: &generator) ? Int64(body.count) : nil, isReplayable: true) {
          Pieces(body.divided(by: 7))
        })
  }

  private static func name(using generator: inout SeededGenerator) -> String {
    let words = [
      "a", "\"", "\r", "\n", "\\", ";", "=", "%", "é", "🎈", " ", "\t", "\u{0}", "\u{301}", "; filename=\"", "--",
    ]
    return (0..<Int.random(in: 0...8, using: &generator)).map { _ in words.randomElement(using: &generator)! }.joined()
  }

  private static func content(boundary: String, using generator: inout SeededGenerator) -> Data {
    let words = [
      "\r\n", "--", "\r\n--", "--\(boundary.dropLast(2))", "\r\n--\(boundary.dropLast(2))", "\r", "x", "\r\n\r\n",
    ]
    return (0..<Int.random(in: 0...10, using: &generator)).reduce(into: Data()) { bytes, _ in
      bytes.append(Data(words.randomElement(using: &generator)!.utf8))
      if Bool.random(using: &generator) { bytes.append(UInt8.random(in: .min ... .max, using: &generator)) }
    }
  }
}

extension Data {
  fileprivate func randomlyDivided(using generator: inout SeededGenerator) -> [Data] {
    var (pieces, rest) = ([Data](), self)
    while !rest.isEmpty {
      let count = Int.random(in: 0...Swift.min(40, rest.count), using: &generator)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
