#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The POSIX calls of a TCP server: sockets that never block, are not inherited by child processes, and send no SIGPIPE.
enum SystemSocket {
  /// What became of a call that moves bytes.
  enum Transfer {
    /// So many bytes were moved; 0 received means that the peer has ended its side.
    case moved(Int)
    /// Nothing can be moved now.
    case wouldBlock
    /// The connection is gone.
    case failed
  }

  /// What became of accepting a connection.
  enum Acceptance {
    case accepted(descriptor: Int32, remoteAddress: String)
    /// Nobody waits.
    case none
    /// No descriptor or memory is left: try again later.
    case exhausted
  }

  /// A listening socket bound to a numeric address. Port 0 takes any free one.
  static func listen(address: String, port: Int, backlog: Int32) throws(LoopbackStartError) -> Int32 {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = streamType
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found?.pointee else {
      throw .invalidPort(port)
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
    guard descriptor >= 0 else { throw LoopbackStartError(errno, address: address, port: port) }
    set(descriptor, SOL_SOCKET, SO_REUSEADDR)
    prepare(descriptor)
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, systemListen(descriptor, backlog) == 0 else {
      let code = errno
      close(descriptor)
      throw LoopbackStartError(code, address: address, port: port)
    }
    return descriptor
  }

  /// The next waiting connection.
  static func accept(_ listener: Int32) -> Acceptance {
    while true {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let descriptor = withSocketAddress(&storage) { systemAccept(listener, $0, &length) }
      if descriptor >= 0 {
        prepare(descriptor)
        set(descriptor, tcpLevel, TCP_NODELAY)
        return .accepted(descriptor: descriptor, remoteAddress: text(&storage, length))
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN, EWOULDBLOCK: return .none
      default: return .exhausted
      }
    }
  }

  /// The port a socket is bound to.
  static func port(of descriptor: Int32) -> Int {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    guard withSocketAddress(&storage, { getsockname(descriptor, $0, &length) }) == 0 else { return 0 }
    return text(&storage, length).split(separator: ":").last.flatMap { Int($0) } ?? 0
  }

  /// Receives into `buffer`.
  static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
  }

  /// Sends from `buffer`.
  static func send(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Transfer {
    transfer { systemSend(descriptor, buffer.baseAddress, buffer.count, sendFlags) }
  }

  /// Ends our side of a connection; the peer reads to the end of what was sent.
  static func endSending(_ descriptor: Int32) {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes ``close(_:)`` reset the connection instead of ending it.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Closes a descriptor.
  static func close(_ descriptor: Int32) {
    _ = systemClose(descriptor)
  }

  /// Makes a descriptor non-blocking, private to this process, and silent about a peer that left.
  static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    #if canImport(Darwin)
    set(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
    #endif
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var one: Int32 = 1
    _ = setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func transfer(_ call: () -> Int) -> Transfer {
    while true {
      let count = call()
      if count >= 0 { return .moved(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .wouldBlock
      default: return .failed
      }
    }
  }

  /// `host:port`, with the brackets of a URL around an IPv6 address.
  private static func text(_ storage: inout sockaddr_storage, _ length: socklen_t) -> String {
    var host = [CChar](repeating: 0, count: 64)
    var port = [CChar](repeating: 0, count: 8)
    let (hostSize, portSize) = (socklen_t(host.count), socklen_t(port.count))
    let result = withSocketAddress(&storage) {
      getnameinfo($0, length, &host, hostSize, &port, portSize, NI_NUMERICHOST | NI_NUMERICSERV)
    }
    guard result == 0 else { return "" }
    let (name, number) = (string(host), string(port))
    return name.contains(":") ? "[\(name)]:\(number)" : "\(name):\(number)"
  }

  private static func string(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func withSocketAddress<Result>(
    _ storage: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}

// The system's functions under names that the methods above do not hide, and its constants in one type.
private let systemListen = listen
private let systemClose = close
private func systemAccept(_ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t)
  -> Int32
{
  accept(listener, address, &length)
}
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(descriptor, bytes, count, flags)
}

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
#else
private let streamType = SOCK_STREAM
#endif
private let tcpLevel = Int32(IPPROTO_TCP)

#if canImport(Darwin)
// Not built by this project's CI, which runs on Linux. SO_NOSIGPIPE does there what MSG_NOSIGNAL does here.
private let sendFlags: Int32 = 0
#else
private let sendFlags = Int32(MSG_NOSIGNAL)
#endif
