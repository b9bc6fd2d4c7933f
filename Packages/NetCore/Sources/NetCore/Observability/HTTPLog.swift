#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A log of calls: an observer that turns events into lines, with what its redactor does not allow hidden.
///
///     configuration.observers = [HTTPLog()]
///
///     [1 GetTip] → GET https://api.example.com/tips/today
///     [1 GetTip] ← 200 OK in 12.3 ms, 48 bytes
///
/// With ``HTTPClient/Configuration/tracing`` the trace's identifier stands behind the name.
///
/// Values in bodies, fields and queries are hidden unless they are allowed:
/// `HTTPLog(redactor: .standard.allowing(jsonKeys: ["tip"]))` shows the tips of JSON bodies too.
///
/// In debug builds it writes everything from ``LogLevel/debug`` on. In release builds it writes nothing, unless a level is
/// given.
public struct HTTPLog: CallObserver {
  /// The least level that is written; `nil` writes nothing.
  public var level: LogLevel?
  /// Where lines go.
  public var sink: any LogSink
  /// Decides what is shown.
  public var redactor: Redactor
  /// The most characters of a body that are shown. Default: 1,000.
  public var maximumBodyLength: Int

  /// ``LogLevel/debug`` in debug builds, `nil` in release builds.
  public static var defaultLevel: LogLevel? {
    #if DEBUG
    .debug
    #else
    nil
    #endif
  }

  /// The unified log on Apple platforms, standard error elsewhere.
  public static var defaultSink: any LogSink {
    #if canImport(os)
    UnifiedLogSink()
    #else
    StandardErrorSink()
    #endif
  }

  /// A log.
  public init(
    level: LogLevel? = HTTPLog.defaultLevel, sink: any LogSink = HTTPLog.defaultSink, redactor: Redactor = .standard,
    maximumBodyLength: Int = 1_000
  ) {
    self.level = level
    self.sink = sink
    self.redactor = redactor
    self.maximumBodyLength = maximumBodyLength
  }

  /// Writes what the level allows of `event`.
  public func observe(_ event: CallEvent) {
    guard let level, let (lineLevel, text) = line(for: event.kind, isVerbose: level == .debug), lineLevel >= level
    else { return }
    let trace = event.trace.map { " " + $0.traceID } ?? ""
    sink.write("[\(event.call) \(event.endpointName.displayable(upTo: 100))\(trace)] \(text)", level: lineLevel)
  }

  private func line(for kind: CallEvent.Kind, isVerbose: Bool) -> (LogLevel, String)? {
    switch kind {
    case .started:
      return nil
    case .request(let request):
      let body = detail(request.fields, bytes: request.body.loggableBytes)
      return (.debug, "→ \(request.method) \(redactor.redact(request.url))" + (isVerbose ? body : ""))
    case .response(let response, _, let duration):
      let size = response.body.bufferedBytes.map { "\($0.count) bytes" } ?? "body on its way"
      let isFailure = response.status.kind == .clientError || response.status.kind == .serverError
      let body = isVerbose ? detail(response.fields, bytes: response.body.bufferedBytes, isFailure: isFailure) : ""
      return (.info, "← \(response.status) in \(duration.readable), \(size)" + body)
    case .attemptFailed(let error, _, let duration):
      return (.warning, "✗ \(describe(error)) after \(duration.readable)")
    case .coalesced:
      return (.debug, "⇉ shares the exchange of an equal call")
    case .cache(.staleHit(let age, let reason)):
      return (.warning, "⌂ cache: \(CacheOutcome.staleHit(age: age, reason))")
    case .cache(let outcome):
      return (.debug, "⌂ cache: \(outcome)")
    case .retry(let reason, let wait):
      return (.warning, "↻ again in \(wait.readable): \(reason.displayable(upTo: 200))")
    case .redirected(let redirect):
      return (.info, "↪ \(redirect.status), on to \(redactor.redact(redirect.to))")
    case .notRetried(let reason):
      return (.warning, "· not retried: \(reason.displayable(upTo: 200))")
    case .awaitedCredentials(let duration):
      return (.debug, "⚿ waited \(duration.readable) for credentials")
    case .renewedCredentials(let duration):
      return (.info, "⚿ credentials refused, renewed in \(duration.readable)")
    case .queued(let duration):
      return (.debug, "⧗ waited \(duration.readable) for its turn")
    case .circuit(let state, let origin):
      return (.warning, "⌁ circuit \(state.rawValue): \(origin.displayable(upTo: 300))")
    case .finished(let outcome):
      return line(for: outcome)
    }
  }

  private func line(for outcome: CallOutcome) -> (LogLevel, String) {
    guard let error = outcome.error else {
      return (.debug, "done in \(outcome.duration.readable), \(outcome.bytesReceived) bytes")
    }
    let level = error is CancellationError ? LogLevel.info : .error
    return (level, "failed after \(outcome.duration.readable): \(describe(error))")
  }

  private func detail(_ fields: HTTPFields, bytes: Data?, isFailure: Bool = false) -> String {
    var lines = redactor.redact(fields).map { "\n    \($0.name): \($0.value.displayable(upTo: 500))" }
    if let bytes, !bytes.isEmpty {
      lines.append(
        "\n    "
          + redactor.excerpt(
            of: bytes, contentType: fields[.contentType], isFailure: isFailure, limit: maximumBodyLength))
    }
    return lines.joined()
  }

  private func describe(_ error: any Error) -> String {
    switch error {
    case let error as APIError: error.description.displayable(upTo: 2_000).replacing("\n", with: " ")
    case is CancellationError: "cancelled"
    default: String(describing: type(of: error))
    }
  }
}

extension HTTPBody {
  fileprivate var loggableBytes: Data? {
    if case .bytes(let bytes) = content { bytes } else { nil }
  }
}

extension HTTPLog: CustomStringConvertible {
  /// From which level on it writes.
  public var description: String { level.map { "HTTPLog from \($0) on" } ?? "HTTPLog, which is off" }
}
