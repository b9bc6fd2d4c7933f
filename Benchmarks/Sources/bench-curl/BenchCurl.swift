import BenchSupport
import NetCore
import NetCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the small document holds.
struct Tip: Decodable, Sendable {
  let size: Int
  let tip: String
}

/// Arms: `bare`, the transport alone; `equal`, the same with the requests of `stages`; `typed`, a client over it; `watched`, one with metrics and traces; `stages`, one with
/// retries, a token and a time for each attempt; `coalescing`, the same with shared flights; `transfer`, uploads of a file and
/// downloads to one; `progress`, the same with somebody who watches.
@main
struct BenchCurl {
  static func main() async throws {
    let options = Options()
    var configuration = CurlTransport.Configuration()
    if let path = options.caFile { configuration.tls.trustRoots = .file(path: path) }
    let transport = try CurlTransport(configuration)
    let bench = BenchCurl(options: options, transport: transport)
    switch options.arm {
    case "bare": await bench.run(bench.bare())
    case "equal": await bench.run(bench.equal())
    case "typed": await bench.run(bench.typed(HTTPClient(bench.clientConfiguration, transport: transport)))
    case "watched": await bench.run(bench.typed(HTTPClient(bench.watchedConfiguration, transport: transport)))
    case "stages": await bench.run(bench.stages(coalescing: false))
    case "coalescing": await bench.run(bench.stages(coalescing: true))
    case "transfer": await bench.run(bench.transfer(progress: nil))
    case "progress": await bench.run(bench.transfer { updates in for await _ in updates {} })
    default:
      fatalError("There is no arm \(options.arm): bare, equal, typed, watched, stages, coalescing, transfer, progress.")
    }
    await transport.shutdown()
  }

  let options: Options
  let transport: CurlTransport

  private func run(_ operation: @escaping Benchmark.Operation) async {
    let protocolName = await protocolName()
    await Benchmark(options, operation).run { ", \"protocol\": \"\(protocolName)\"" }
  }

  /// What is spoken with the server.
  private func protocolName() async -> String {
    let response = try? await transport.send(HTTPRequest(method: .head, url: options.url), context: RequestContext())
    return response?.info.timings?.protocolName ?? "none"
  }
}

// MARK: The transport alone

extension BenchCurl {
  private func bare() -> Benchmark.Operation {
    let (transport, request, file) = (transport, HTTPRequest(url: options.url), options.file)
    switch options.mode {
    case .buffer, .heap:
      let context = RequestContext(delivery: .collected(upTo: 1 << 30))
      return { try await transport.send(request, context: context).body.collect(upTo: 1 << 30).count }
    case .stream:
      return { try await transport.send(request, context: RequestContext()).body.reduce(0) { $0 + $1.count } }
    case .file:
      return { try await write(transport.send(request, context: RequestContext()).body, to: file) }
    case .slow:
      return { try await readSlowly(transport.send(request, context: RequestContext()).body) }
    case .upload:
      return upload()
    }
  }

  /// What the client with every stage puts on the wire, made by hand: a URL of its own each, and the fields.
  private func equal() -> Benchmark.Operation {
    let (transport, url, number) = (transport, options.url.absoluteString, Counter())
    let context = RequestContext(delivery: .collected(upTo: 1 << 30))
    let userAgent = clientConfiguration.userAgent ?? ""
    return {
      let fields: HTTPFields = [.accept: "*/*", .userAgent: userAgent, .authorization: "Bearer not-secret"]
      let request = HTTPRequest(url: URL(string: "\(url)?n=\(number.next())")!, fields: fields)
      return try await transport.send(request, context: context).body.collect(upTo: 1 << 30).count
    }
  }

  private func upload() -> Benchmark.Operation {
    let (transport, url) = (transport, options.url)
    return {
      let size = 1 << 30
      let body = HTTPBody(length: Int64(size), isReplayable: true) { SlowChunks(size: size) }
      let request = HTTPRequest(method: .put, url: url, body: body)
      let response = try await transport.send(request, context: RequestContext())
      let received = try await String(decoding: response.body.collect(upTo: 1_000), as: UTF8.self)
      guard received == "\(size)" else { throw APIError(.transport(.truncated), reason: "It received \(received).") }
      return size
    }
  }
}

// MARK: The client

extension BenchCurl {
  private var clientConfiguration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(baseURL: options.url.deletingLastPathComponent())
    configuration.maximumBodySize = 1 << 30
    return configuration
  }

  private var watchedConfiguration: HTTPClient.Configuration {
    var configuration = clientConfiguration
    configuration.observers = [HTTPMetrics(sink: NoMetrics())]
    configuration.tracing = Tracing()
    return configuration
  }

  /// The small document is decoded, every other one is wanted as bytes.
  private func typed(_ client: HTTPClient) -> Benchmark.Operation {
    let (name, file) = (options.url.lastPathComponent, options.file)
    switch options.mode {
    case .buffer where name == "small.json", .heap:
      return { try await client.send(Endpoint(path: "\(name)"), as: Tip.self).size }
    case .buffer:
      return { try await client.send(Endpoint(path: "\(name)"), as: Data.self).count }
    case .stream:
      return { try await client.open(Endpoint<Data>(path: "\(name)")).body.reduce(0) { $0 + $1.count } }
    case .file:
      return { try await write(client.open(Endpoint<Data>(path: "\(name)")).body, to: file) }
    case .slow, .upload:
      fatalError("The mode \(options.mode) is for the arm bare.")
    }
  }
}

// MARK: The client with every stage

extension BenchCurl {
  /// The URLs all differ, so that no two calls share an exchange.
  private func stages(coalescing: Bool) -> Benchmark.Operation {
    var configuration = clientConfiguration
    configuration.attemptTimeout = .seconds(10)
    configuration.retry = .standard
    configuration.coalescesCalls = coalescing
    let store = MemoryCredentialStore(BearerCredentials(accessToken: "not-secret"))
    configuration.authenticator = BearerAuthenticator(store: store, origins: [options.url]) { $0 }
    let (client, name, number) = (
      HTTPClient(configuration, transport: transport), options.url.lastPathComponent, Counter()
    )
    return {
      try await client.send(Endpoint(path: "\(name)", query: ["n": "\(number.next())"]), as: Data.self).count
    }
  }
}

/// Keeps nothing.
private struct NoMetrics: MetricsSink {
  func add(_ amount: Int, to counter: HTTPMetric, labels: [String: String]) {}
  func record(_ value: Double, in histogram: HTTPMetric, labels: [String: String]) {}
}

// MARK: Transfers

extension BenchCurl {
  /// Mode `file` downloads to the file, mode `upload` sends it in a form.
  private func transfer(progress: ProgressObserver?) -> Benchmark.Operation {
    let client = HTTPClient(baseURL: options.url.deletingLastPathComponent(), transport: transport)
    let (name, file) = (options.url.lastPathComponent, URL(filePath: options.file))
    guard options.mode == .upload else {
      return { Int(try await client.download(Endpoint<Void>(path: "\(name)"), to: file, progress: progress).size) }
    }
    return {
      var form = MultipartForm()
      try form.append("file", file: file)
      let length = try form.makeBody().length ?? 0
      let endpoint = Endpoint<String>(.put, path: "\(name)", body: .multipart(form))
      let received = try await client.upload(endpoint, progress: progress)
      guard received == "\(length)" else { throw APIError(.transport(.truncated), reason: "It received \(received).") }
      return Int(length)
    }
  }
}

/// Writes a body to the file at `path` as it arrives.
private func write(_ body: HTTPResponse.Body, to path: String) async throws -> Int {
  let file = OutputFile(path)
  var size = 0
  for try await chunk in body {
    file.append(chunk)
    size += chunk.count
  }
  return size
}

/// Reads a body at a few hundred megabytes a second at most, which is slow for a loopback device.
private func readSlowly(_ body: HTTPResponse.Body) async throws -> Int {
  var size = 0
  for try await chunk in body {
    size += chunk.count
    try await Task.sleep(for: .milliseconds(1))
  }
  return size
}

/// Zeros in chunks of 256 KiB, a millisecond apart.
private struct SlowChunks: AsyncSequence, AsyncIteratorProtocol {
  private let chunk = Data(count: 256 << 10)
  private var rest: Int

  init(size: Int) { rest = size }

  func makeAsyncIterator() -> SlowChunks { self }

  mutating func next() async throws -> Data? {
    guard rest > 0 else { return nil }
    try await Task.sleep(for: .milliseconds(1))
    defer { rest -= chunk.count }
    return chunk.prefix(rest)
  }
}
