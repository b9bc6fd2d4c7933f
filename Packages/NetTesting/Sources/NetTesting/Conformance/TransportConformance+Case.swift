public import NetCore
public import Testing

extension TransportConformance {
  /// One thing that a transport must do. Two cases are equal when they have the same name.
  public struct Case: Sendable, Identifiable {
    /// What the transport must do, as a sentence.
    public let name: String
    /// Why the transport is excused; `nil` when it is not.
    public internal(set) var exclusion: Exclusion?
    private let deliveries: [RequestContext.Delivery]
    private let steps: @Sendable (Trial) async throws -> Void

    /// The name.
    public var id: String { name }

    /// - Parameter deliveries: How bodies are delivered in one run of `steps` after the other.
    init(
      _ name: String, deliveries: [RequestContext.Delivery] = [.streaming, .collected(upTo: 1 << 20)],
      steps: @escaping @Sendable (Trial) async throws -> Void
    ) {
      self.name = name
      self.deliveries = deliveries
      self.steps = steps
    }
  }
}

extension TransportConformance.Case: Hashable {
  /// Whether both have the same name.
  public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension TransportConformance.Case: CustomStringConvertible, CustomTestStringConvertible {
  /// The name, and whether the case is excluded.
  public var description: String { exclusion == nil ? name : "\(name) (excluded)" }

  /// The same as ``description``.
  public var testDescription: String { description }
}

// MARK: - Running

extension TransportConformance.Case {
  /// Runs the case in a test: one that cannot be run is skipped there, and a failure that was excluded is a known issue.
  ///
  /// - Parameters:
  ///   - transport: A new transport, or one that other cases use too.
  ///   - limit: How long the case may take, in real time. Default: 60 seconds.
  /// - Throws: ``TransportConformance/Failure`` when the transport does not conform, or when it does although the case is
  ///   excluded.
  public func run(_ transport: any HTTPTransport, within limit: Duration = .seconds(60)) async throws {
    switch await outcome(with: transport, within: limit) {
    case .passed: break
    case .failed(let failure): throw failure
    case .excluded(let failure): withKnownIssue("\(exclusion?.reason ?? "")") { throw failure }
    case .skipped(let reason): try Self.skipTest(reason)
    }
  }

  /// Runs the case anywhere and tells how it came out, of which ``run(_:within:)`` makes the result of a test.
  ///
  /// - Parameters:
  ///   - transport: The transport to try.
  ///   - limit: How long the case may take, in real time. Default: 60 seconds.
  public func outcome(
    with transport: any HTTPTransport, within limit: Duration = .seconds(60)
  ) async -> TransportConformance.Outcome {
    if let exclusion, !exclusion.isRun { return .skipped(exclusion.reason) }
    for delivery in deliveries {
      do {
        try await run(transport, delivery, within: limit)
      } catch let skip as Skip {
        return .skipped(skip.reason)
      } catch {
        let failure = failure("\(problem(error)) [\(delivery.name)]")
        return exclusion == nil ? .failed(failure) : .excluded(failure)
      }
    }
    guard let exclusion else { return .passed }
    return .failed(failure("passes, but is excluded because \(exclusion.reason): take it off the list"))
  }

  private func run(
    _ transport: any HTTPTransport, _ delivery: RequestContext.Delivery, within limit: Duration
  ) async throws {
    let trial = Trial(transport, delivery)
    var failure: (any Error)?
    do {
      try await withLimit(limit, waitingFor: { trial.step }) { [steps] in try await steps(trial) }
    } catch {
      failure = error
    }
    await trial.end()
    if let failure { throw failure }
  }

  private func problem(_ error: any Error) -> String {
    switch error {
    case let error as Mismatch: error.description
    case let error as WaitLimitReached: error.description
    default: "threw \(summary(of: error))"
    }
  }

  private func failure(_ problem: String) -> TransportConformance.Failure {
    TransportConformance.Failure(caseName: name, problem: problem)
  }

  private static func skipTest(_ reason: String) throws {
    #if compiler(>=6.3)
    if Test.current != nil { try Test.cancel("\(reason)") }
    #endif
  }
}

extension RequestContext.Delivery {
  fileprivate var name: String {
    if case .streaming = self { "streaming" } else { "collected" }
  }
}
