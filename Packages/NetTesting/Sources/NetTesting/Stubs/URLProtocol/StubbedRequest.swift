import Dispatch
import Foundation
import NetCore
import NetURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request as a session gives it to its protocol; its body may have to be read first.
struct StubbedRequest: Sendable {
  enum Body: Sendable {
    case bytes(Data)
    case unread(UnreadBody)
  }

  private let head: HTTPRequest
  let body: Body

  /// - Throws: `APIError` for what cannot be stubbed, with the reason.
  init(of urlProtocol: URLProtocol) throws {
    #if !canImport(Darwin)
    if urlProtocol.task is URLSessionDownloadTask {
      throw Self.unsupported("on Linux a download task ends the process; use a data task, or the loopback server")
    }
    #endif
    var request = urlProtocol.request
    body = try Self.body(of: request, task: urlProtocol.task)
    request.httpBodyStream = nil
    request.httpBody = nil
    head = try HTTPRequest(request)
  }

  func recorded(with body: Data) -> RecordedRequest {
    RecordedRequest(method: head.method, url: head.url, fields: head.fields, body: body)
  }

  private static func body(of request: URLRequest, task: URLSessionTask?) throws -> Body {
    if let bytes = request.httpBody { return .bytes(bytes) }
    if let stream = request.httpBodyStream { return .unread(UnreadBody(stream)) }
    #if !canImport(Darwin)
    if let task = task as? URLSessionUploadTask {
      switch CorelibsReflection.body(of: task) {
      case .bytes(let bytes): return .bytes(bytes)
      case .file(let file):
        guard let stream = InputStream(url: file) else { throw unsupported("the file of its upload cannot be read") }
        return .unread(UnreadBody(stream))
      case nil:
        throw unsupported("the body of an upload task with a streamed request cannot be seen; upload data or a file")
      }
    }
    #endif
    return .bytes(Data())
  }

  #if !canImport(Darwin)
  private static func unsupported(_ reason: String) -> APIError {
    APIError(.unsupported, reason: reason)
  }
  #endif
}

/// The body of a request that is a stream or a file: reading it may block.
final class UnreadBody: Sendable {
  /// Only `read()` touches it, which is called once.
  private nonisolated(unsafe) let stream: InputStream

  init(_ stream: InputStream) {
    self.stream = stream
  }

  /// All of the body, read on a thread that may block.
  ///
  /// - Throws: The stream's error; `APIError` of kind `tooLarge` past ``ClosureTransport/maximumBodySize``.
  func bytes() async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try self.read() }) }
    }
  }

  private func read() throws -> Data {
    stream.open()
    defer { stream.close() }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw stream.streamError ?? URLError(.cannotOpenFile) }
      guard bytes.count + count <= ClosureTransport.maximumBodySize else { throw APIError.tooLarge }
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}
