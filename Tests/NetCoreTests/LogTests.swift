import Foundation
import NetCore
import NetTesting
import TestSupport
import Testing

private let call = Endpoint<Widget>(path: "widgets/1", name: "GetWidget")

@Suite struct HTTPLogTests {
  private let clock = TestClock()
  private let sink = MemorySink()

  private func client(_ transport: any HTTPTransport, level: LogLevel?, middlewares: [any HTTPMiddleware] = [])
    -> HTTPClient
  {
    makeClient(transport) {
      $0.timeSource = clock.timeSource
      $0.observers = [HTTPLog(level: level, sink: sink)]
      $0.callMiddlewares = middlewares
    }
  }

  private func slowly(_ response: HTTPResponse) -> ClosureTransport {
    ClosureTransport { [clock] _ in
      clock.advance(by: .microseconds(12_340))
      return response
    }
  }

  @Test func `debug tells the story with fields and bodies`() async throws {
    let response = HTTPResponse.json(#"{"id": 1, "name": "a"}"#)
    _ = try await client(slowly(response), level: .debug).send(call)
    #expect(
      sink.messages == [
        """
        [1 GetWidget] → GET https://api.example.com/v1/widgets/1
            Accept: application/json, application/problem+json
            User-Agent: NetCore/0.1.0
        """,
        """
        [1 GetWidget] ← 200 OK in 12.3 ms, 22 bytes
            Content-Type: application/json
            Content-Length: 22
            {"id":<redacted>,"name":"<redacted>"}
        """,
        "[1 GetWidget] done in 12.3 ms, 22 bytes",
      ])
    #expect(sink.levels == [.debug, .info, .debug])
  }

  @Test func `info is one line a response, and calls are numbered`() async throws {
    let client = client(slowly(.json(#"{"id": 1, "name": "a"}"#)), level: .info)
    _ = try await client.send(call)
    _ = try await client.send(call)
    #expect(
      sink.messages == [
        "[1 GetWidget] ← 200 OK in 12.3 ms, 22 bytes", "[2 GetWidget] ← 200 OK in 12.3 ms, 22 bytes",
      ])
  }

  @Test func `a failure is told where it happened and at its end`() async throws {
    let transport = ClosureTransport { _ in throw APIError.transport(.connectionRefused) }
    await #expect(throws: APIError.self) { try await client(transport, level: .warning).send(call) }
    #expect(sink.levels == [.warning, .error])
    #expect(sink.messages[0].hasPrefix("[1 GetWidget] ✗ transport(.connectionRefused): The connection was refused"))
    #expect(sink.messages[1].hasPrefix("[1 GetWidget] failed after 0.0 ms: transport(.connectionRefused)"))
  }

  @Test func `a failure above the transport is told too`() async throws {
    await #expect(throws: APIError.decoding) { try await client(answering(.json("[]")), level: .error).send(call) }
    #expect(sink.messages.count == 1)
    #expect(sink.text.contains("decoding: the content"))
  }

  @Test func `a retry of the caller's own middleware is told`() async throws {
    struct Again: HTTPMiddleware {
      func intercept(_ request: HTTPRequest, context: RequestContext, next: any HTTPTransport) async throws
        -> HTTPResponse
      {
        let first = try await next.send(request, context: context)
        first.body.discard()
        context.report(.retry(reason: "\(first.status)", wait: .milliseconds(1500)))
        var context = context
        context.attempt += 1
        return try await next.send(request, context: context)
      }
    }
    let transport = ClosureTransport { request in
      request.attempt == 1 ? .status(503) : .json(#"{"id": 1, "name": "a"}"#)
    }
    let reply = try await client(transport, level: .info, middlewares: [Again()]).reply(to: call)
    #expect(reply.info.attempts == 2)
    #expect(
      sink.messages == [
        "[1 GetWidget] ← 503 Service Unavailable in 0.0 ms, 0 bytes",
        "[1 GetWidget] ↻ again in 1.50 s: 503 Service Unavailable", "[1 GetWidget] ← 200 OK in 0.0 ms, 22 bytes",
      ])
  }

  @Test func `without a level nothing is written`() async throws {
    _ = try await client(answering(.json(#"{"id": 1, "name": "a"}"#)), level: nil).send(call)
    #expect(sink.messages.isEmpty)
  }

  @Test func `debug builds log by default, release builds do not`() {
    #if DEBUG
    #expect(HTTPLog.defaultLevel == .debug)
    #else
    #expect(HTTPLog.defaultLevel == nil)
    #endif
  }

  @Test func `a log reads no body that is on its way`() async throws {
    let scripted = ScriptedBody()
    let response = try await client(answering(HTTPResponse(body: scripted.body)), level: .debug).open(call)
    scripted.send("all")
    scripted.finish()
    #expect(try await response.body.collect(upTo: 10) == Data("all".utf8))
    #expect(sink.text.contains("body on its way"))
  }

  @Test func `a call whose body is read as it arrives is done when the body is`() async throws {
    let scripted = ScriptedBody()
    let response = try await client(answering(HTTPResponse(body: scripted.body)), level: .debug).open(call)
    #expect(sink.messages.last?.contains("← 200 OK") == true)
    clock.advance(by: .seconds(2))
    scripted.finish()
    _ = try await response.body.collect(upTo: 10)
    #expect(sink.messages.last == "[1 GetWidget] done in 2.00 s, 0 bytes")

    let dropped = try await client(answering(HTTPResponse(body: ScriptedBody().body)), level: .debug).open(call)
    dropped.body.discard()
    #expect(sink.messages.last?.hasSuffix("failed after 0.0 ms: cancelled") == true)
  }
}

@Suite struct CurlCommandTests {
  private func request(_ method: HTTPRequest.Method = .get, fields: HTTPFields = [:], body: String = "") -> HTTPRequest
  {
    HTTPRequest(
      method: method, url: URL(string: "https://h/it's?page=[1]")!, fields: fields, body: HTTPBody(Data(body.utf8)))
  }

  @Test func `a request reads as a command`() {
    let fields: HTTPFields = [.contentType: "application/json", .authorization: "Bearer s3cret"]
    let redactor = Redactor.standard.allowing(jsonKeys: ["message"])
    let command = request(.post, fields: fields, body: #"{"message": "it's"}"#).curlCommand(redactor: redactor)
    #expect(
      command == #"""
        curl --globoff --request 'POST' 'https://h/it'\''s?page=%5B1%5D' --header 'Content-Type: application/json' \#
        --header 'Authorization: <redacted>' --data-raw '{"message":"it'\''s"}'
        """#)
    #expect(request(.head).curlCommand().hasPrefix("curl --globoff --head "))
  }

  @Test func `a body that may not be shown is left out`() {
    let command = request(.put, fields: [.contentType: "text/plain"], body: "secret").curlCommand()
    #expect(command.hasSuffix(" # a body of 6 bytes is left out"))
  }

  @Test(
    .timeLimit(.minutes(1)), arguments: ["$(id)", "`id`", "a'b", "\"; id; \"", "a\\", "!!", "*", "a\nb", "~", "&& id"])
  func `a shell takes every argument as it is`(hostile: String) async throws {
    let json = String(decoding: try JSONEncoder().encode(["message": hostile]), as: UTF8.self)
    var fields: HTTPFields = [.contentType: "application/json"]
    fields[.eTag] = hostile.replacing("\n", with: "")
    let redactor = Redactor.standard.allowing(jsonKeys: ["message"])
    let command = request(.post, fields: fields, body: json).curlCommand(redactor: redactor)
    let arguments = try await shellArguments(of: command)
    #expect(arguments.contains("ETag: \(hostile.replacing("\n", with: ""))"))
    #expect(arguments.last == json)
  }

  /// The arguments that `sh` gives `curl` when it runs `command`.
  private func shellArguments(of command: String) async throws -> [String] {
    let script = #"curl() { for a in "$@"; do printf '%s\0' "$a"; done; }"# + "\n" + command
    let output = try await ChildProcess.run(["sh", "-c", script]).output
    return output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
