import NetCore
import NetCurl
import NetLoopback
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a test wants its bodies: everything must hold in both ways.
enum Delivery: CaseIterable, CustomTestStringConvertible {
  case collected, streaming

  var testDescription: String { "\(self)" }

  var context: RequestContext {
    RequestContext(delivery: self == .collected ? .collected(upTo: 100_000_000) : .streaming)
  }
}

/// A response with its whole body, and what is known only at its end.
struct WholeResponse {
  let head: HTTPResponse
  let body: Data
  var trailers: HTTPFields { head.body.trailers }
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPTransport {
  /// Sends `request` and reads the body to its end.
  func whole(_ request: HTTPRequest, _ delivery: Delivery = .streaming) async throws -> WholeResponse {
    let response = try await send(request, context: delivery.context)
    return WholeResponse(head: response, body: try await response.body.collect(upTo: 100_000_000))
  }
}

extension CurlTransport {
  /// A transport with some settings changed.
  static func with(_ change: (inout Configuration) -> Void) throws -> CurlTransport {
    var configuration = Configuration()
    change(&configuration)
    return try CurlTransport(configuration)
  }
}

extension LoopbackServer {
  /// The URL of a path on this server.
  func url(_ path: String = "/") throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
  }
}

/// Bytes that show when some are lost, doubled or out of place.
func pattern(_ count: Int) -> Data {
  var bytes = Data(capacity: count + patternBlock.count)
  while bytes.count < count { bytes.append(patternBlock) }
  return bytes.prefix(count)
}

/// A prime number of bytes, so that no buffer's size is a multiple of it.
private let patternBlock = Data((0..<8_191).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

/// Counts across tasks.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  /// The count after adding `number`.
  @discardableResult func add(_ number: Int) -> Int {
    count.add(number, ordering: .relaxed).newValue
  }
}

/// A port of 127.0.0.1 where connections are made and nothing is ever read or said.
final class SilentListener: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { [descriptor, size] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) } == 0
        && listen(descriptor, 16) == 0
    }
    try #require(isListening)
    _ = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
