import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let cancellation = [
    cancelledBefore, cancelledBeforeHead, cancelledInBody, cancelledWhileSending, cancelledOften,
  ]

  /// A task that is cancelled already asks for nothing.
  public static let cancelledBefore = Self("a task cancelled before sends nothing") { trial in
    let wire = try await trial.serve { _ in .text("hello") }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await wire.send()
    }
    try await expectCancellation("the request") { try await task.value }
    try expect("the number of requests", wire.server.counts.requests, is: 0)
  }

  /// While the server thinks.
  public static let cancelledBeforeHead = Self("cancelling before the head closes the connection") { trial in
    let begun = Gate()
    let wire = try await trial.serve { request in
      begun.open()
      await request.waitForClientToLeave()
      return .noReply()
    }
    try await cancel(once: begun, wire) { _ = try await wire.send() }
  }

  /// While the rest of the body is awaited.
  public static let cancelledInBody = Self("cancelling in the body closes the connection") { trial in
    let begun = Gate()
    let wire = try await trial.serve { _ in
      if trial.delivery != .streaming { begun.open() }
      return .text("hello, hello").breaking(.inBody(after: 5), by: .stall)
    }
    try await cancel(once: begun, wire) {
      for try await _ in try await wire.open().body { begun.open() }
    }
  }

  /// While the server does not take the request's content.
  ///
  /// The server sees the connection's end behind what was sent before, which both sockets together may hold 36 MB of. What
  /// it gets beyond that it takes slowly, so that a late end is still seen.
  public static let cancelledWhileSending = Self("cancelling while it sends closes the connection") { trial in
    let begun = Gate()
    let left = Gate()
    let wire = try await trial.serve { request in
      begun.open()
      await left.wait()
      var received = 0
      for try await chunk in request.body {
        received += chunk.count
        if received > 40_000_000 { try await Task.sleep(for: .milliseconds(20)) }
      }
      return .text("whole")
    }
    try await cancel(once: begun, wire) {
      defer { left.open() }
      let body = HTTPBody(Pattern.bytes(64_000_000))
      _ = try await wire.send(.post, fields: [.contentType: "text/plain"], body: body)
    }
  }

  /// At any moment: the request brings its response or throws `CancellationError`, and nothing is left behind.
  public static let cancelledOften = Self("cancelling at any moment leaves nothing behind") { trial in
    let wire = try await trial.serve { _ in .bytes(Pattern.bytes(100_000)) }
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          let task = Task { try await wire.send() }
          for _ in 0..<(number * 7 % 50) { await Task.yield() }
          task.cancel()
          do {
            try expect("the body", try await task.value.body.bufferedBytes, is: Pattern.bytes(100_000))
          } catch is CancellationError {}
        }
      }
      try await group.waitForAll()
    }
    try await wire.waitUntilDone()
    try expect("the size of the next body", try await wire.send().body.bufferedBytes?.count, is: 100_000)
  }

  /// Cancels `operation` once it has begun, and checks that it ends so and its connection with it.
  private static func cancel(
    once begun: Gate, _ wire: Wire, _ operation: @escaping @Sendable () async throws -> Void
  ) async throws {
    let task = Task {
      defer { begun.open() }
      try await operation()
    }
    defer { task.cancel() }
    await begun.wait()
    task.cancel()
    wire.trial.step = "a cancelled task to end"
    try await expectCancellation("the request") { try await task.value }
    try await wire.waitUntilClosed()
  }
}
