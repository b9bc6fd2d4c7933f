import Foundation
import NetCore
import NetLoopback
import TestSupport
import Testing

/// Forms that curl sends, over a real socket.
@Suite(.timeLimit(.minutes(1))) struct LoopbackMultipartTests {
  @Test func `reads what curl sends`() async throws {
    let folder = try TemporaryFolder()
    let large = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
    try folder.write(large, to: "naïve \"a\".png")
    let reply = try await curl(
      "-F", "title=Ferns & ☕️", "-F", "note=<-", "-F", "quote\"d=1;type=text/x-note", "-F",
      "photo=@\"\(folder.path("naïve \"a\".png").replacing("\"", with: "\\\""))\"", input: Data("\r\n--\r\n".utf8)
    ) { request in
      let parts = try await request.multipart().collect()
      return .text(
        parts.map {
          "\($0.name)|\($0.filename ?? "-")|\($0.contentType ?? "-")|\($0.bytes == large ? "large" : $0.text ?? "?")"
        }
        .joined(separator: "\n"))
    }
    #expect(
      reply == """
        title|-|-|Ferns & ☕️
        note|-|-|\r\n--\r\n
        quote"d|-|text/x-note|1
        photo|naïve "a".png|image/png|large
        200
        """)
  }

  @Test func `an escaped quote of an older curl is read`() async throws {
    let reply = try await curl("--form-escape", "-F", "a=1;filename=\"x\\\"y\"") { request in
      .text(try await request.multipart().collect().map { $0.filename ?? "-" }.joined())
    }
    #expect(reply == "x\"y\n200")
  }

  @Test(arguments: [
    (["-F", "a=1"], 200), (["-F", "a=12345678901"], 413), (["-F", "a=1", "-F", "b=1", "-F", "c=1"], 413),
    (["-d", "a=1"], 415), (["-d", "a=1", "-H", "Content-Type: multipart/form-data"], 415),
    (["-d", "a=1", "-H", "Content-Type: multipart/form-data; boundary=b"], 400),
  ])
  func `what is wrong with a form is the client's fault`(arguments: [String], status: Int) async throws {
    let reply = try await curl(arguments) { request in
      var limits = MultipartReader.Limits()
      limits.maximumPartCount = 2
      limits.maximumPartSize = 10
      for try await part in try request.multipart(limits: limits) { _ = try await part.collect() }
      return .text("")
    }
    #expect(reply.hasSuffix("\(status)"))
  }

  /// What the server answers to curl: the content, and a line with the status.
  private func curl(
    _ arguments: [String], input: Data = Data(), handler: @escaping LoopbackServer.Handler
  ) async throws -> String {
    try await LoopbackServer.with(handler: handler) { server in
      let command = ["curl", "-s", "-m", "30", "-w", "\\n%{http_code}"] + arguments + [server.baseURL.absoluteString]
      let outcome = try await ChildProcess.run(command, input: input)
      try #require(outcome.status == 0, "\(outcome.errors)")
      return outcome.text
    }
  }

  private func curl(
    _ arguments: String..., input: Data = Data(), handler: @escaping LoopbackServer.Handler
  ) async throws -> String {
    try await curl(arguments, input: input, handler: handler)
  }
}
