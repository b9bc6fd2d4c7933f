import CZlib
import NetCore
import NetCurl
import NetLoopback
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(1)))
struct ContentDecodingTests {
  /// The wrappers of a deflate stream, by zlib's window bits.
  enum Wrapper: Int32, CaseIterable {
    case gzip = 31
    case zlib = 15
    case none = -15

    var coding: String { self == .gzip ? "gzip" : "deflate" }
  }

  static func compress(_ bytes: Data, _ wrapper: Wrapper = .gzip) throws -> Data {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    let result = deflateInit2_(&stream, 6, Z_DEFLATED, wrapper.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    try #require(result == Z_OK)
    defer { deflateEnd(&stream) }
    var input = Array(bytes)
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))) + 64)
    let ending = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    try #require(ending == Z_STREAM_END)
    return Data(output.prefix(Int(stream.total_out)))
  }

  private static func serve(_ bytes: Data, as coding: String) async throws -> LoopbackServer {
    try await LoopbackServer.start { _ in
      LoopbackResponse(fields: [.contentEncoding: coding, "X-Other": "1"], body: HTTPBody(bytes))
    }
  }

  @Test(arguments: Wrapper.allCases, [0, 1, 100, 1_000_000, 20_000_000])
  func `decodes what it asked for`(_ wrapper: Wrapper, _ size: Int) async throws {
    let server = try await Self.serve(try Self.compress(pattern(size), wrapper), as: wrapper.coding)
    let transport = try CurlTransport.with { $0.decoding?.maximumRatio = 2_000 }
    for delivery in Delivery.allCases {
      let response = try await transport.whole(HTTPRequest(url: try server.url()), delivery)
      #expect(response.body == pattern(size))
      #expect(response.head.fields[.contentEncoding] == nil)
      #expect(response.head.fields[.contentLength] == nil)
      #expect(response.head.fields["X-Other"] == "1")
      #expect(response.head.body.length ?? Int64(size) == Int64(size))
    }
  }

  @Test func `decodes several streams in one`() async throws {
    let bytes = try Self.compress(pattern(1_000)) + Self.compress(Data()) + Self.compress(pattern(2_000))
    let server = try await Self.serve(bytes, as: "x-gzip")
    let response = try await CurlTransport().whole(HTTPRequest(url: try server.url()))
    #expect(response.body == pattern(1_000) + pattern(2_000))
  }

  @Test(arguments: Wrapper.allCases, Delivery.allCases)
  func `a stream cut short is no success, wherever it is cut`(_ wrapper: Wrapper, _ delivery: Delivery) async throws {
    let whole = try Self.compress(pattern(10_000), wrapper)
    for length in [1, 2, 10, whole.count / 2, whole.count - 1] {
      let server = try await Self.serve(whole.prefix(length), as: wrapper.coding)
      let error = await #expect(throws: APIError.self) {
        try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
      }
      #expect(error == .transport(.truncated), "cut to \(length) bytes")
    }
  }

  @Test(arguments: Delivery.allCases)
  func `a stream that is damaged or goes on is malformed`(_ delivery: Delivery) async throws {
    let whole = try Self.compress(pattern(10_000))
    var damaged = whole
    damaged[whole.count - 6] ^= 1
    for bytes in [damaged, whole + Data("more".utf8), Data("not compressed at all".utf8)] {
      let server = try await Self.serve(bytes, as: "gzip")
      await #expect(throws: APIError.transport(.malformed)) {
        try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
      }
    }
  }

  @Test(arguments: Delivery.allCases)
  func `a bomb is too large`(_ delivery: Delivery) async throws {
    let server = try await Self.serve(try Self.compress(Data(count: 50_000_000)), as: "gzip")
    await #expect(throws: APIError.tooLarge) {
      try await CurlTransport().whole(HTTPRequest(url: try server.url()), delivery)
    }
    let lenient = try CurlTransport.with { $0.decoding?.maximumRatio = 2_000 }
    #expect(try await lenient.whole(HTTPRequest(url: try server.url()), delivery).body.count == 50_000_000)
    let limited = try CurlTransport.with {
      $0.decoding?.maximumRatio = 2_000
      $0.decoding?.maximumSize = 49_999_999
    }
    await #expect(throws: APIError.tooLarge) {
      try await limited.whole(HTTPRequest(url: try server.url()), delivery)
    }
  }

  @Test func `leaves content alone that it did not ask for, or does not know`() async throws {
    let bytes = try Self.compress(pattern(1_000))
    let server = try await Self.serve(bytes, as: "gzip")
    let requests: [(CurlTransport, HTTPFields)] = [
      (CurlTransport(), [.acceptEncoding: "gzip"]),
      (CurlTransport(), [.range: "bytes=0-"]),
      (try CurlTransport.with { $0.decoding = nil }, [:]),
    ]
    for (transport, fields) in requests {
      let response = try await transport.whole(HTTPRequest(url: try server.url(), fields: fields))
      #expect(response.body == bytes)
      #expect(response.head.fields[.contentEncoding] == "gzip")
      #expect(response.head.fields[.contentLength] == "\(bytes.count)")
    }
    let unknown = try await Self.serve(bytes, as: "br")
    let response = try await CurlTransport().whole(HTTPRequest(url: try unknown.url()))
    #expect(response.body == bytes)
    #expect(response.head.fields[.contentEncoding] == "br")
  }

  @Test(arguments: Delivery.allCases)
  func `libcurl decodes instead when asked to, within the same limits`(_ delivery: Delivery) async throws {
    let server = try await Self.serve(try Self.compress(Data(count: 4_000_000)), as: "gzip")
    let lenient = try CurlTransport.with {
      $0.decoding?.decoder = .libcurl
      $0.decoding?.maximumRatio = 2_000
    }
    let response = try await lenient.whole(HTTPRequest(url: try server.url()), delivery)
    #expect(response.body.count == 4_000_000)
    #expect(response.head.fields[.contentEncoding] == nil)
    #expect(response.head.fields[.contentLength] == nil)
    let strict = try CurlTransport.with { $0.decoding?.decoder = .libcurl }
    await #expect(throws: APIError.tooLarge) {
      try await strict.whole(HTTPRequest(url: try server.url()), delivery)
    }
  }

  @Test(.enabled(if: CurlTransport.capabilities.brotli))
  func `libcurl decodes brotli`() async throws {
    let hello = Data([0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03])
    let server = try await LoopbackServer.start { request in
      #expect(request.fields[.acceptEncoding]?.contains("br") == true)
      return LoopbackResponse(fields: [.contentEncoding: "br"], body: HTTPBody(hello))
    }
    let transport = try CurlTransport.with { $0.decoding?.decoder = .libcurl }
    #expect(try await transport.whole(HTTPRequest(url: try server.url())).text == "hello")
  }

  @Test func `a HEAD response keeps the fields of the content it does not have`() async throws {
    let server = try await Self.serve(try Self.compress(pattern(1_000)), as: "gzip")
    let response = try await CurlTransport().whole(HTTPRequest(method: .head, url: try server.url()), .collected)
    #expect(response.head.fields[.contentEncoding] == "gzip")
    #expect(response.head.fields.contains(.contentLength))
    #expect(response.body.isEmpty)
  }
}
