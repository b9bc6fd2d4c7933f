import NetCore
import Testing

/// How limits of time, and a client that is shut down, end a transport.
enum Ending: CaseIterable, CustomTestStringConvertible {
  /// By cancelling a task that was started for it.
  case byTask
  /// By `RequestContext.onInterruption(_:)`.
  case byContext

  var testDescription: String { self == .byTask ? "by its task" : "by its context" }

  /// `transport`, which ends this way.
  func of(_ transport: any HTTPTransport) -> any HTTPTransport {
    self == .byTask ? transport : InterruptibleTransport(transport: transport)
  }
}

private struct InterruptibleTransport: HTTPTransport {
  let transport: any HTTPTransport

  var isInterruptible: Bool { true }

  func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
    let task = Task { try await transport.send(request, context: context) }
    context.onInterruption { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
