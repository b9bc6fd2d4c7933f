/// A place in a distributed trace, as one service tells it to the next (W3C Trace Context, the Recommendation of 2021).
///
/// A client with ``HTTPClient/Configuration/tracing`` sends one with each attempt. A server's handler, or whoever else is a
/// part of a trace already, makes calls a part of it too:
///
///     let parent = TraceContext(fields: request.fields)
///     try await TraceContext.$current.withValue(parent) { try await client.send(GetTip()) }
public struct TraceContext: Sendable, Hashable {
  /// The trace and place that calls of the task belong to. Default: `nil`; each call is a trace of its own.
  @TaskLocal public static var current: TraceContext?

  private let high: UInt64
  private let low: UInt64
  private let span: UInt64
  private let parentSpan: UInt64
  /// Whether whoever sent the context may have recorded its part of the trace, which advises the receiver to do the same.
  public let isSampled: Bool
  /// What tracing systems hand on among themselves: the value of `tracestate`; `nil` when there is none.
  public let tracestate: String?

  private init(
    trace: (UInt64, UInt64), span: UInt64, parentSpan: UInt64 = 0, isSampled: Bool, tracestate: String?
  ) {
    (high, low) = trace
    self.span = span
    self.parentSpan = parentSpan
    self.isSampled = isSampled
    self.tracestate = tracestate
  }

  /// The beginning of a new trace.
  ///
  /// - Parameters:
  ///   - share: How many of all traces are sampled, from 0 to 1; decided by the trace's identifier.
  ///   - identifier: Gives identifiers.
  init(sampling share: Double, identifier: () -> UInt64) {
    let trace = (identifier(), Self.nonZero(identifier))
    // By 56 random bits, as OpenTelemetry does, so that services with the same share choose the same traces.
    let chance = Double(trace.1 & (1 << 56 - 1)) / Double(1 << 56 as UInt64)
    self.init(trace: trace, span: Self.nonZero(identifier), isSampled: chance >= 1 - share, tracestate: nil)
  }

  /// A place in the same trace, one step further in.
  ///
  /// - Parameter identifier: Gives the new span's identifier.
  func child(identifier: () -> UInt64) -> TraceContext {
    TraceContext(
      trace: (high, low), span: Self.nonZero(identifier), parentSpan: span, isSampled: isSampled, tracestate: tracestate
    )
  }

  /// An identifier of zeros means none.
  private static func nonZero(_ identifier: () -> UInt64) -> UInt64 {
    let value = identifier()
    return value == 0 ? 1 : value
  }

  /// The trace: 32 lower-case hexadecimal digits, not all zero.
  public var traceID: String { high.hexadecimal + low.hexadecimal }

  /// The place in it: 16 lower-case hexadecimal digits, not all zero. `traceparent` calls it parent-id, since to the receiver
  /// it is that.
  public var spanID: String { span.hexadecimal }

  /// The span this one was made in; `nil` when that is not known, as of a context that was received.
  public var parentSpanID: String? { parentSpan == 0 ? nil : parentSpan.hexadecimal }
}

// MARK: On the wire

extension TraceContext {
  /// The value of `traceparent`, in version 00: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
  public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  /// The context that a request's fields carry; `nil` when there is no `traceparent`, more than one, or one that is not
  /// valid. A `tracestate` that is not valid is dropped alone.
  public init?(fields: HTTPFields) {
    let parents = fields[values: .traceparent]
    guard parents.count == 1 else { return nil }
    self.init(traceparent: parents[0], tracestate: fields[.tracestate])
  }

  /// A context from the values of its two fields.
  ///
  /// A `traceparent` of a later version than 00 is read as far as version 00 goes, and sent on as that.
  ///
  /// - Parameters:
  ///   - traceparent: `version-traceid-parentid-flags` in lower-case hexadecimal digits; anything else gives `nil`.
  ///   - tracestate: Up to 32 members `key=value`, separated by commas; anything else is dropped.
  public init?(traceparent: String, tracestate: String? = nil) {
    let bytes = Array(traceparent.utf8)
    func number(_ range: Range<Int>) -> UInt64? { UInt64(lowerCaseHexadecimal: bytes[range]) }
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      let version = number(0..<2), version != 0xFF,
      // Version 00 ends there; a later one may add parts.
      bytes.count == 55 || (version > 0 && bytes[55] == UInt8(ascii: "-")),
      let high = number(3..<19), let low = number(19..<35), high != 0 || low != 0,
      let span = number(36..<52), span != 0, let flags = number(53..<55)
    else { return nil }
    self.init(
      trace: (high, low), span: span, isSampled: flags & 1 == 1, tracestate: tracestate.flatMap(TraceState.valid))
  }
}

extension UInt64 {
  /// Sixteen lower-case digits.
  fileprivate var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The number that at most sixteen digits stand for.
  fileprivate init?(lowerCaseHexadecimal digits: ArraySlice<UInt8>) {
    self = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = self << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): self = self << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
  }
}

extension HTTPField.Name {
  /// `traceparent` (W3C Trace Context).
  static let traceparent: HTTPField.Name = "traceparent"
  /// `tracestate` (W3C Trace Context).
  static let tracestate: HTTPField.Name = "tracestate"
}
