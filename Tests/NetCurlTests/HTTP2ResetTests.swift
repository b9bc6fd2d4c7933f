import Foundation
import NetCore
import NetCurl
import TestSupport
import Testing

/// Streams of HTTP/2 that the server resets (RFC 9113, section 5.4.2), while others share the connection.
@Suite(.timeLimit(.minutes(1)), .enabled(if: CurlTransport.capabilities.http2))
struct HTTP2ResetTests {
  private static let internalError = 2
  private static let refusedStream = 7

  @Test(arguments: Delivery.allCases, [HTTPRequest.Method.get, .post])
  func `a stream reset before its response is a lost connection`(
    _ delivery: Delivery, _ method: HTTPRequest.Method
  ) async throws {
    let server = try await FrameServer(["reset \(Self.internalError)"])
    await server.expect(.transport(.connectionLost), method, delivery)
    #expect(try await server.get() == "hello")
    #expect(await server.requests(2) == ["1 1", "1 3"])
  }

  @Test(arguments: Delivery.allCases, [HTTPRequest.Method.get, .post])
  func `a stream reset in its body is never a success`(
    _ delivery: Delivery, _ method: HTTPRequest.Method
  ) async throws {
    let server = try await FrameServer(["part \(Self.internalError)"])
    await server.expect(.transport(.truncated), or: .transport(.connectionLost), method, delivery)
    #expect(try await server.get() == "hello")
    #expect(await server.requests(2) == ["1 1", "1 3"])
  }

  @Test func `a request that was refused is sent again, if that is safe`() async throws {
    let server = try await FrameServer(["reset \(Self.refusedStream)"])
    #expect(try await server.get() == "hello")
    #expect(await server.requests(2).first == "1 1")
  }

  @Test func `a POST that was refused is a lost connection, and sent once`() async throws {
    let server = try await FrameServer(["reset \(Self.refusedStream)"])
    await server.expect(.transport(.connectionLost), .post, .collected)
    #expect(try await server.get() == "hello")
    #expect(await server.requests(2).first == "1 1")
  }

  @Test(arguments: ["reset \(Self.internalError)", "part \(Self.internalError)", "reset \(Self.refusedStream)"])
  func `the connection's other streams go on`(_ fault: String) async throws {
    let server = try await FrameServer(["hold", fault])
    let other = try await server.transport.send(HTTPRequest(url: server.url), context: RequestContext())
    // The server holds the rest of that response until it has reset this one.
    _ = try? await server.transport.whole(HTTPRequest(method: .post, url: server.url, body: HTTPBody(Data("pay".utf8))))
    #expect(try await other.body.collect(upTo: 100) == Data("hello".utf8))
    #expect(await server.requests(2) == ["1 1", "1 3"])
  }
}

/// A server of HTTP/2 frames, written in Python, that is told what becomes of each request.
private struct FrameServer {
  let url: URL
  let transport: CurlTransport
  private let process: ChildProcess
  private let folder: TemporaryFolder
  private let certificates: Certificates

  /// - Parameter actions: What becomes of the first requests: `reset CODE`, `part CODE` for a reset in the body, `hold` for a
  ///   response whose rest comes after a reset. The others are answered.
  init(_ actions: [String]) async throws {
    folder = try TemporaryFolder()
    certificates = try await Certificates([.good])
    let script = try folder.write(Self.script, to: "server.py")
    process = try ChildProcess(
      ["python3", script, certificates.certificate(.good), certificates.key(.good)] + actions, output: .lines)
    let port = try #require(Int(await process.nextLine() ?? ""), "the server did not start")
    url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
    let authority = certificates.authority
    transport = try CurlTransport.with { $0.tls.trustRoots = .file(path: authority) }
  }

  func get() async throws -> String {
    try await transport.whole(HTTPRequest(url: url)).text
  }

  func expect(
    _ kind: APIError.Kind, or other: APIError.Kind? = nil, _ method: HTTPRequest.Method, _ delivery: Delivery,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let body = method == .post ? HTTPBody(Data("pay".utf8)) : .empty
    let error = await #expect(throws: APIError.self, sourceLocation: sourceLocation) {
      try await transport.whole(HTTPRequest(method: method, url: url, body: body), delivery)
    }
    #expect(
      error.map { [kind, other].contains($0.kind) } == true, "\(String(describing: error))",
      sourceLocation: sourceLocation)
    #expect(error?.mayHaveReachedServer == true, sourceLocation: sourceLocation)
  }

  /// The numbers of the connection and the stream of the next requests that the server got.
  func requests(_ count: Int) async -> [String] {
    var requests: [String] = []
    while requests.count < count, let request = await process.nextLine() { requests.append(request) }
    return requests
  }

  private static let script = """
    import socket, ssl, sys, threading
    DATA, HEADERS, RESET, SETTINGS, PING = 0, 1, 3, 4, 6
    END_STREAM, ACK, END_HEADERS = 1, 1, 4
    STATUS_200 = b"\\x88"
    actions = sys.argv[3:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[1:3])
    context.set_alpn_protocols(["h2"])

    def serve(connection, number):
        stream_of_bytes = connection.makefile("rb")
        held = []

        def send(kind, flags, stream, payload=b""):
            head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
            connection.sendall(head + payload)

        def answer(stream):
            print(number, stream, flush=True)
            action, _, code = (actions.pop(0) if actions else "whole").partition(" ")
            if action != "reset":
                send(HEADERS, END_HEADERS, stream, STATUS_200)
                send(DATA, 0, stream, b"hel")
            if action == "whole": send(DATA, END_STREAM, stream, b"lo")
            elif action == "hold": held.append(stream)
            else:
                send(RESET, 0, stream, int(code).to_bytes(4, "big"))
                for other in held: send(DATA, END_STREAM, other, b"lo")

        stream_of_bytes.read(len(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"))
        send(SETTINGS, 0, 0)
        while head := stream_of_bytes.read(9):
            payload = stream_of_bytes.read(int.from_bytes(head[:3], "big"))
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            if kind in (SETTINGS, PING) and not flags & ACK: send(kind, ACK, 0, payload if kind == PING else b"")
            if kind in (HEADERS, DATA) and flags & END_STREAM: answer(stream)

    def accept(plain, number):
        try:
            with context.wrap_socket(plain, server_side=True) as connection: serve(connection, number)
        except OSError:
            plain.close()

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    count = 0
    while True:
        count += 1
        threading.Thread(target=accept, args=(listener.accept()[0], count), daemon=True).start()
    """
}
