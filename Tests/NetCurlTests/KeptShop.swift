import Foundation
import TestSupport
import Testing

/// A shop, written in Python, that charges for each order. It keeps its customers' connections, and cuts the first that brings
/// an order.
final class KeptShop: Sendable {
  /// Where the first order's connection is cut, how, and what the next one meets.
  struct Trouble: Sendable, CustomTestStringConvertible {
    enum Place: String, CaseIterable {
      case inContent, afterCharging
    }

    enum Ending: String {
      case close, reset
    }

    enum Next: String, CaseIterable {
      case answered, refused, reset
    }

    let place: Place
    let ending: Ending
    let next: Next
    var isSecure = false
    /// Whether the order has more content than libcurl is given at once, and than has gone before the cut.
    var isLarge = true

    var testDescription: String {
      "\(isLarge ? "large" : "small")\(isSecure ? ", TLS" : ""): \(ending) \(place), then \(next)"
    }

    /// Over TLS, it is the next connection's handshake that is reset.
    static let all = Place.allCases.flatMap { place in
      Next.allCases.map { Self(place: place, ending: .close, next: $0) } + [
        Self(place: place, ending: .reset, next: .answered),
        Self(place: place, ending: .close, next: .answered, isLarge: false),
        Self(place: place, ending: .close, next: .refused, isSecure: true),
        Self(place: place, ending: .close, next: .reset, isSecure: true),
      ]
    }
  }

  let baseURL: URL
  /// The authority to trust, for TLS.
  let authority: String?
  private let process: ChildProcess
  private let certificates: Certificates?

  init(_ trouble: Trouble) async throws {
    certificates = trouble.isSecure ? try await Certificates([.good]) : nil
    authority = certificates?.authority
    process = try ChildProcess(
      [
        "python3", "-c", Self.script, trouble.place.rawValue, trouble.ending.rawValue, trouble.next.rawValue,
        certificates?.certificate(.good) ?? "", certificates?.key(.good) ?? "",
      ], output: .lines)
    let port = try #require(Int(await process.nextLine() ?? ""), "the shop did not start")
    baseURL = try #require(URL(string: "\(trouble.isSecure ? "https" : "http")://127.0.0.1:\(port)/"))
  }

  /// Opens a shop that has been refusing connections since it cut one.
  func reopen() async throws {
    process.send(SIGUSR1)
    try #require(await process.nextLine() == "open")
  }

  /// Answers each request with how often it has charged, and how many orders have reached it.
  private static let script = """
    import signal, socket, ssl, struct, sys, threading

    place, ending, following, certificate, key = sys.argv[1:6]
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})

    def bound(port):
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(("127.0.0.1", port))
        return bound

    holder = bound(0)  # Keeps the port while nobody listens.
    listener = bound(holder.getsockname()[1])
    listener.listen()
    lock = threading.Lock()
    charges = orders = 0
    keys = set()

    def reset(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def cut(connection):
        if following == "refused": listener.shutdown(socket.SHUT_RDWR)
        if ending == "reset": return reset(connection)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536): pass
        connection.close()

    def charge(key, content):
        global charges
        if content.replace(b"beans", b"") or key and key in keys: return
        keys.add(key)
        charges += 1

    def serve(connection):
        global orders
        received = b""
        while True:
            while b"\\r\\n\\r\\n" not in received:
                more = connection.recv(65536)
                if not more: return
                received += more
            head, received = received.split(b"\\r\\n\\r\\n", 1)
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\\r\\n")[1:])
            if head.startswith(b"POST "):
                with lock:
                    orders += 1
                    is_first = orders == 1
                if is_first and place == "inContent": return cut(connection)
                length = int(fields[b"content-length"])
                while len(received) < length:
                    more = connection.recv(65536)
                    if not more: return
                    received += more
                with lock: charge(fields.get(b"idempotency-key"), received[:length])
                received = received[length:]
                if is_first: return cut(connection)
            text = b"%d for %d" % (charges, orders)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(text), text))

    def greet(connection):
        try:
            serve(context.wrap_socket(connection, server_side=True) if context else connection)
        except OSError:
            connection.close()

    print(listener.getsockname()[1], flush=True)
    accepted = 0
    while True:
        try:
            connection = listener.accept()[0]
        except OSError:
            signal.sigwait({signal.SIGUSR1})
            listener.listen()
            print("open", flush=True)
            continue
        accepted += 1
        if accepted == 2 and following == "reset":
            reset(connection)
        else:
            threading.Thread(target=greet, args=(connection,), daemon=True).start()
    """
}
