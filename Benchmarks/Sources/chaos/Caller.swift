import NetCore
import NetCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends what plans say, over a transport and a client of its own.
struct Caller: Sendable {
  /// The most bytes that are collected.
  static let collectionLimit = 1 << 20

  private let transport: CurlTransport
  private let client: HTTPClient
  private let baseURL: URL

  init(_ transport: CurlTransport, baseURL: URL) {
    var configuration = HTTPClient.Configuration(baseURL: baseURL)
    configuration.maximumBodySize = Self.collectionLimit
    self.transport = transport
    self.baseURL = baseURL
    client = HTTPClient(configuration, transport: transport)
  }

  /// Limits that are short, so that many faults fit into a minute.
  static func transport(_ options: Options) throws -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    configuration.limits.connect = .seconds(20)
    configuration.limits.firstByte = options.patience
    configuration.limits.idle = options.patience
    configuration.decoding?.maximumSize = Int64(collectionLimit)
    return try CurlTransport(configuration)
  }

  /// - Returns: How the request ended, and with which error if with one.
  func send(_ plan: Plan) async -> (Outcome, (any Error)?) {
    do {
      return (try await outcome(of: plan), nil)
    } catch {
      return (Outcome(error), error)
    }
  }

  private func outcome(of plan: Plan) async throws -> Outcome {
    switch plan.reading {
    case .collected: try await collected(plan)
    case .streamed: try await streamed(transport.send(request(plan), context: RequestContext()), plan)
    case .dropped: try await dropped(plan)
    case .typed: judge(try await client.send(endpoint(plan)), plan)
    case .opened: try await streamed(client.open(endpoint(plan)), plan)
    }
  }

  private func collected(_ plan: Plan) async throws -> Outcome {
    let context = RequestContext(delivery: .collected(upTo: Self.collectionLimit))
    let response = try await transport.send(request(plan), context: context)
    return judge(try await response.body.collect(upTo: Self.collectionLimit), plan)
  }

  private func streamed(_ response: HTTPResponse, _ plan: Plan) async throws -> Outcome {
    var content = Data()
    for try await chunk in response.body { content.append(chunk) }
    return judge(content, plan)
  }

  private func dropped(_ plan: Plan) async throws -> Outcome {
    let response = try await transport.send(request(plan), context: RequestContext())
    for try await _ in response.body { break }
    return .dropped
  }

  private func judge(_ content: Data, _ plan: Plan) -> Outcome {
    content == plan.trouble.content(plan.number) ? .whole : .wrongContent
  }

  private func path(_ plan: Plan) -> RequestPath { "\(plan.place)/\(plan.number)" }

  private func request(_ plan: Plan) -> HTTPRequest {
    var request = HTTPRequest(
      method: plan.method, url: baseURL.appending(path: path(plan).encoded), body: plan.body)
    if plan.sending == .keyedPost { request.fields[.idempotencyKey] = "key-\(plan.number)" }
    return request
  }

  private func endpoint(_ plan: Plan) -> Endpoint<Data> {
    let fields: HTTPFields = plan.sending == .keyedPost ? [.idempotencyKey: "key-\(plan.number)"] : [:]
    return Endpoint(
      plan.method, path: path(plan), fields: fields, body: .stream(plan.body, contentType: nil), timeout: plan.timeout)
  }
}
