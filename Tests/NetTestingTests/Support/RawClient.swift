import Foundation

/// A TCP client that sends what it is told and shows what comes back, byte for byte.
///
/// Each blocking call has a thread of its own, and gives up after 20 seconds. (Not one of Dispatch: a hundred waiting tests would
/// leave none to the code under test.)
final class RawClient: Sendable {
  enum Failure: Error {
    case notConnected
    case timedOut
    case reset
  }

  private let descriptor: Int32

  /// Connects to a port of 127.0.0.1.
  init(port: Int) throws {
    descriptor = socket(AF_INET, RawClient.streamType, 0)
    RawClient.limit(descriptor, SO_RCVTIMEO, milliseconds: 20_000)
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { [descriptor] in
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // Thrown from here, it runs `deinit`, which closes the descriptor.
    guard result == 0 else { throw Failure.notConnected }
  }

  deinit {
    Foundation.close(descriptor)
  }

  /// Sends `text`. A peer that left is no failure here: what comes back tells.
  func send(_ text: String) async {
    await send(Data(text.utf8))
  }

  /// Sends `bytes` until the peer has taken nothing for so many milliseconds, and returns how many it took.
  @discardableResult
  func send(_ bytes: Data, patience: Int = 20_000) async -> Int {
    await onThread { descriptor in
      RawClient.limit(descriptor, SO_SNDTIMEO, milliseconds: patience)
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, RawClient.sendFlags)
        }
        guard count > 0 else { break }
        sent += count
      }
      return sent
    }
  }

  /// Ends the client's half of the connection.
  func endSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Everything until the server ends the connection.
  ///
  /// - Throws: ``Failure`` when it is reset, or silent for too long.
  func receiveToEnd() async throws -> String {
    try await receive { _ in false }
  }

  /// What comes until it satisfies `isEnough` or the server ends the connection.
  func receive(until isEnough: @escaping @Sendable (String) -> Bool) async throws -> String {
    let result = await onThread { descriptor -> Result<String, Failure> in
      var received = Data()
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { return .failure(errno == EAGAIN ? .timedOut : .reset) }
        received.append(contentsOf: buffer[..<max(0, count)])
        let text = String(decoding: received, as: UTF8.self)
        if count == 0 || isEnough(text) { return .success(text) }
      }
    }
    return try result.get()
  }

  /// Sends `text` on a connection of its own and returns everything until the server ends it.
  static func exchange(port: Int, _ text: String) async throws -> String {
    let client = try RawClient(port: port)
    await client.send(text)
    return try await client.receiveToEnd()
  }

  private static func limit(_ descriptor: Int32, _ option: Int32, milliseconds: Int) {
    var limit = timeval()
    limit.tv_sec = .init(milliseconds / 1_000)
    limit.tv_usec = .init(milliseconds % 1_000 * 1_000)
    setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  private func onThread<Result: Sendable>(_ body: @escaping @Sendable (Int32) -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in continuation.resume(returning: body(descriptor)) }
    }
  }

  #if canImport(Darwin)
  private static let streamType = SOCK_STREAM
  private static let sendFlags: Int32 = 0
  #else
  private static let streamType = Int32(SOCK_STREAM.rawValue)
  private static let sendFlags = Int32(MSG_NOSIGNAL)
  #endif
}
