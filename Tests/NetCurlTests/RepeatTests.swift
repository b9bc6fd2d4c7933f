import NetCore
import NetCurl
import NetLoopback
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// libcurl sends a request again by itself when the kept connection it used turns out to be dead: that must happen only
/// to what is safe to send twice, and then with all of its content.
@Suite(.timeLimit(.minutes(1)))
struct RepeatTests {
  @Test(arguments: [.post, .patch, "PURGE"] as [HTTPRequest.Method])
  func `never sends a request twice that may have been acted on`(_ method: HTTPRequest.Method) async throws {
    let receiver = Receiver(hangsUp: .afterContent)
    let (server, transport) = try await Self.warmed(receiver)
    let request = HTTPRequest(method: method, url: try server.url(), body: HTTPBody(Data("pay".utf8)))
    let error = await #expect(throws: APIError.self) { try await transport.whole(request) }
    #expect(error == .transport(.connectionLost))
    #expect(error?.mayHaveReachedServer == true)
    #expect(receiver.arrivals.value == 1)
  }

  @Test(arguments: [.get, .put, .delete] as [HTTPRequest.Method])
  func `sends a request again that is safe to`(_ method: HTTPRequest.Method) async throws {
    let receiver = Receiver(hangsUp: .afterContent)
    let (server, transport) = try await Self.warmed(receiver)
    #expect(try await transport.whole(HTTPRequest(method: method, url: try server.url())).text == "received")
    #expect(receiver.arrivals.value == 2)
  }

  /// How much is sent again, and where its second way leads.
  struct Repeat: CustomTestStringConvertible {
    let size: Int
    let hangUp: HangUp
    let keptConnections: Int

    var testDescription: String { "\(size) bytes, \(hangUp), \(keptConnections) kept" }

    static let all = [0, 3, 100_000, 1_000_000].flatMap { size in
      HangUp.allCases.flatMap { hangUp in [1, 2].map { Self(size: size, hangUp: hangUp, keptConnections: $0) } }
    }
  }

  @Test(arguments: Repeat.all)
  func `what is sent again has all of its content`(_ example: Repeat) async throws {
    let receiver = Receiver(hangsUp: example.hangUp)
    let (server, transport) = try await Self.warmed(receiver, connections: example.keptConnections)
    let content = pattern(example.size)
    var keyed = HTTPRequest(method: .post, url: try server.url(), body: HTTPBody(content))
    keyed.fields[.idempotencyKey] = "k1"
    #expect(try await transport.whole(keyed).text == "received")
    // What follows on the connection is not taken for the rest of the content.
    let next = HTTPRequest(method: .post, url: try server.url(), body: HTTPBody(Data("next".utf8)))
    #expect(try await transport.whole(next).text == "received")
    #expect(receiver.arrivals.value == 3)
    #expect(receiver.contents == [content, Data("next".utf8)])
  }

  @Test(arguments: HangUp.allCases)
  func `content that comes from elsewhere and has begun to go is not sent again`(_ hangUp: HangUp) async throws {
    let receiver = Receiver(hangsUp: hangUp)
    let (server, transport) = try await Self.warmed(receiver, connections: 2)
    let content = pattern(1_000_000)
    let body = HTTPBody(length: Int64(content.count), isReplayable: true) {
      AsyncStream { continuation in
        continuation.yield(content)
        continuation.finish()
      }
    }
    let request = HTTPRequest(method: .put, url: try server.url(), body: body)
    await #expect(throws: APIError.transport(.connectionLost)) { try await transport.whole(request) }
    let next = HTTPRequest(method: .post, url: try server.url(), body: HTTPBody(Data("next".utf8)))
    #expect(try await transport.whole(next).text == "received")
    #expect(receiver.contents == [Data("next".utf8)])
  }

  /// When a server hangs up without an answer.
  enum HangUp: CaseIterable {
    case afterHead, afterContent
  }

  /// What a server does that keeps all content it is sent, and hangs up on the first request that has some.
  private final class Receiver: Sendable {
    let arrivals = Counter()
    private let hangUp: HangUp
    private let answered = Mutex<[Data]>([])

    init(hangsUp hangUp: HangUp) {
      self.hangUp = hangUp
    }

    /// The content of the requests that were answered.
    var contents: [Data] { answered.withLock { $0 } }

    @Sendable func answer(_ request: LoopbackRequest) async throws -> LoopbackResponse {
      if request.path == "/warm" { return LoopbackResponse(body: HTTPBody(Receiver.large)) }
      let isFirst = arrivals.add(1) == 1
      if isFirst, hangUp == .afterHead { return .noReply() }
      let content = try await request.body.collect()
      if isFirst { return .noReply() }
      answered.withLock { $0.append(content) }
      return .text("received")
    }

    /// More than is received ahead of a reader.
    private static let large = Data(count: 4_000_000)
  }

  /// A server, and a transport that keeps some connections to it, and all of whose handles have sent content.
  private static func warmed(
    _ receiver: Receiver, connections: Int = 1
  ) async throws -> (LoopbackServer, CurlTransport) {
    let server = try await LoopbackServer.start(handler: receiver.answer)
    let transport = CurlTransport()
    let request = HTTPRequest(method: .post, url: try server.url("/warm"), body: HTTPBody(Data("warm".utf8)))
    var responses: [HTTPResponse] = []
    for _ in 1...connections { responses.append(try await transport.send(request, context: RequestContext())) }
    for response in responses { _ = try await response.body.collect(upTo: 10_000_000) }
    #expect(server.counts.connections == connections)
    return (server, transport)
  }
}
