import BenchSupport
import Foundation
import NetCore
import NetURLSession
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the small document holds.
struct Tip: Decodable, Sendable {
  let size: Int
  let tip: String
}

/// Arms: `raw`, URLSession as an app would call it; `transport`, the kit's transport on it; `typed`, a client over that.
@main
struct BenchURLSession {
  static func main() async {
    let options = Options()
    let bench = BenchURLSession(options: options)
    let operation =
      switch options.arm {
      case "raw": bench.raw()
      case "transport": bench.transport(URLSessionTransport())
      case "typed": bench.typed()
      default: fatalError("There is no arm \(options.arm): raw, transport, typed.")
      }
    await Benchmark(options, operation).run()
  }

  let options: Options

  private func raw() -> Benchmark.Operation {
    let (request, file) = (URLRequest(url: options.url), options.file)
    let session = URLSession(configuration: .default)
    switch options.mode {
    case .buffer, .heap:
      return { try await session.data(for: request).0.count }
    case .stream:
      return { try await ByteCounter.size(of: request) }
    case .file:
      return {
        let (place, _) = try await session.download(for: request)
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(at: place, to: URL(fileURLWithPath: file))
        return try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
      }
    case .slow, .upload:
      fatalError("URLSession has no back-pressure on Linux.")
    }
  }

  private func transport(_ transport: URLSessionTransport) -> Benchmark.Operation {
    let (request, file) = (HTTPRequest(url: options.url), options.file)
    switch options.mode {
    case .buffer, .heap:
      let context = RequestContext(delivery: .collected(upTo: 1 << 30))
      return { try await transport.send(request, context: context).body.collect(upTo: 1 << 30).count }
    case .stream:
      return { try await transport.send(request, context: RequestContext()).body.reduce(0) { $0 + $1.count } }
    case .file:
      return {
        let output = OutputFile(file)
        var size = 0
        for try await chunk in try await transport.send(request, context: RequestContext()).body {
          output.append(chunk)
          size += chunk.count
        }
        return size
      }
    case .slow, .upload:
      fatalError("URLSession has no back-pressure on Linux.")
    }
  }

  /// The small document is decoded, every other one is wanted as bytes.
  private func typed() -> Benchmark.Operation {
    var configuration = HTTPClient.Configuration(baseURL: options.url.deletingLastPathComponent())
    configuration.maximumBodySize = 1 << 30
    let client = HTTPClient(configuration, transport: URLSessionTransport())
    let name = options.url.lastPathComponent
    if name == "small.json" {
      return { try await client.send(Endpoint(path: "\(name)"), as: Tip.self).size }
    }
    return { try await client.send(Endpoint(path: "\(name)"), as: Data.self).count }
  }
}

/// Counts bytes as they arrive, by a delegate: how a body is streamed with URLSession on Linux.
private final class ByteCounter: NSObject, URLSessionDataDelegate {
  private typealias State = (size: Int, continuation: CheckedContinuation<Int, any Error>?)
  private let state = Mutex<State>((0, nil))

  static func size(of request: URLRequest) async throws -> Int {
    let counter = ByteCounter()
    let session = URLSession(configuration: .default, delegate: counter, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    return try await withCheckedThrowingContinuation { continuation in
      counter.state.withLock { $0.continuation = continuation }
      session.dataTask(with: request).resume()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.size += data.count }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let (size, continuation) = state.withLock { $0 }
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume(returning: size) }
  }
}
