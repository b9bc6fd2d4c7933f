import Foundation
import NetCore
import NetCurl
import NetLoopback
import NetTesting
import NetURLSession
import Synchronization
import Testing

/// A shop that charges for each order, and whose first answers get lost or go wrong, after or before it has charged.
private final class Shop: Sendable {
  /// What happens to an answer.
  enum Fault: String, CaseIterable, Sendable {
    case closedWithoutReply, resetWithoutReply, closedInHead, closedInBody, unavailableAfterCharging, unavailable

    var hasCharged: Bool { self != .unavailable }

    var reply: LoopbackResponse {
      switch self {
      case .closedWithoutReply: .noReply(by: .close)
      case .resetWithoutReply: .noReply(by: .reset)
      case .closedInHead: LoopbackResponse.text("charged").breaking(.inHead, by: .close)
      case .closedInBody: LoopbackResponse.text("charged").breaking(.inBody(after: 3), by: .close)
      case .unavailableAfterCharging, .unavailable: LoopbackResponse(status: 503)
      }
    }
  }

  private struct Book {
    var charges = 0
    var requests = 0
    var keys: Set<String> = []
  }

  private let fault: Fault
  private let failures: Int
  private let book = Mutex(Book())

  init(_ fault: Fault, failures: Int = 1) {
    self.fault = fault
    self.failures = failures
  }

  var charges: Int { book.withLock { $0.charges } }

  @Sendable func answer(_ request: LoopbackRequest) async throws -> LoopbackResponse {
    _ = try await request.body.collect(upTo: 1_000)
    let key = request.fields[.idempotencyKey]
    return book.withLock { book in
      book.requests += 1
      let isFailure = book.requests <= failures
      let isKnown = key.map { !book.keys.insert($0).inserted } ?? false
      if isFailure && !fault.hasCharged {
        if let key { book.keys.remove(key) }
        return fault.reply
      }
      if !isKnown { book.charges += 1 }
      return isFailure ? fault.reply : .text("charged")
    }
  }
}

/// A transport that the duel is fought on, and what fails there.
private struct Ground: Sendable, CustomTestStringConvertible {
  let name: String
  let transport: @Sendable () -> any HTTPTransport
  let fault: Shop.Fault

  var testDescription: String { "\(name), \(fault)" }

  static let all: [Ground] =
    Shop.Fault.allCases.map { Ground(name: "CurlTransport", transport: { CurlTransport() }, fault: $0) }
    + sessionFaults.map { Ground(name: "URLSessionTransport", transport: { URLSessionTransport() }, fault: $0) }

  /// On Linux a response that ends inside its head ends a process that uses URLSession.
  private static var sessionFaults: [Shop.Fault] {
    #if canImport(Darwin)
    Shop.Fault.allCases
    #else
    Shop.Fault.allCases.filter { $0 != .closedInHead }
    #endif
  }
}

/// The retry of the tutorials against the kit's, at a server that counts what it did.
@Suite(.timeLimit(.minutes(2))) struct DuelTests {
  private let order = Endpoint<String>(.post, path: "orders", body: .text("beans"))

  private func client(_ ground: Ground, _ server: LoopbackServer) -> HTTPClient {
    var configuration = HTTPClient.Configuration(baseURL: server.baseURL)
    configuration.retry = .standard
    configuration.retry.backoff = .none
    configuration.timeSource = TestClock().timeSource
    return HTTPClient(configuration, transport: ground.transport())
  }

  @Test(arguments: Ground.all)
  private func `without a key nothing is charged twice, whatever fails`(ground: Ground) async throws {
    let shop = Shop(ground.fault, failures: 2)
    try await LoopbackServer.with(handler: shop.answer) { server in
      await #expect(throws: APIError.self) { try await client(ground, server).send(order) }
    }
    #expect(shop.charges == (ground.fault.hasCharged ? 1 : 0))
  }

  @Test(arguments: Ground.all)
  private func `with a key everything is charged once`(ground: Ground) async throws {
    let shop = Shop(ground.fault, failures: 2)
    var order = order
    order.idempotencyKey = .automatic
    try await LoopbackServer.with(handler: shop.answer) { [order] server in
      let answer = try await client(ground, server).send(order)
      #expect(answer == "charged")
    }
    #expect(shop.charges == 1)
  }

  @Test(arguments: Ground.all.filter(\.fault.hasCharged))
  private func `the retry of the tutorials charges twice`(ground: Ground) async throws {
    let shop = Shop(ground.fault)
    try await LoopbackServer.with(handler: shop.answer) { server in
      let transport = ground.transport()
      let url = server.baseURL.appending(path: "orders")
      for _ in 1...3 {
        let request = HTTPRequest(method: .post, url: url, body: HTTPBody(Data("beans".utf8)))
        let context = RequestContext(delivery: .collected(upTo: 1_000))
        let response = try? await transport.send(request, context: context).collectingBody(upTo: 1_000)
        if response?.status == .ok { break }
      }
    }
    #expect(shop.charges == 2)
  }
}
