#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How long a server asks to be left alone.
enum ServerPause {
  /// The longest of the pauses that `response` asks for; `nil` when it asks for none that is understood.
  ///
  /// - `Retry-After`, with 429 and 503 (RFC 9110, section 10.2.3);
  /// - `RateLimit` with nothing left (draft-ietf-httpapi-ratelimit-headers): `"default";r=0;t=30`, where the time may also
  ///   come from `RateLimit-Policy`, or as the draft had it before: `limit=10, remaining=0, reset=30`;
  /// - `RateLimit-Remaining: 0` with `RateLimit-Reset` (the draft until 06), and both with `X-`, where a reset may also be a
  ///   date as the number of seconds since 1970.
  static func asked(by response: HTTPResponse, now: @autoclosure () -> Date) -> Duration? {
    guard let said = Said(response) else { return nil }
    return said.pauses(now: now()).max()
  }

  /// The fields that may ask for a pause.
  private struct Said {
    var retryAfter: String?
    var limits: [String] = []
    var policies: [String] = []
    var remaining: String?
    var reset: String?

    /// `nil` when there is none, which is found out at once.
    init?(_ response: HTTPResponse) {
      var isEmpty = true
      for field in response.fields {
        let name = field.name.canonicalName
        guard name.utf8.first == UInt8(ascii: "r") || name.utf8.first == UInt8(ascii: "x") else { continue }
        switch name {
        case "retry-after" where response.status == .tooManyRequests || response.status == .serviceUnavailable:
          retryAfter = field.value
        case "ratelimit": limits.append(field.value)
        case "ratelimit-policy": policies.append(field.value)
        case "ratelimit-remaining", "x-ratelimit-remaining": remaining = field.value
        case "ratelimit-reset", "x-ratelimit-reset": reset = field.value
        default: continue
        }
        isEmpty = false
      }
      if isEmpty { return nil }
    }

    func pauses(now: Date) -> [Duration] {
      [retryAfter.flatMap { RetryAfter.wait($0, now: now) }, fromLimits(), fromCounters(now: now)].compactMap { $0 }
    }

    private func fromLimits() -> Duration? {
      guard let members = RateLimitParser.members(of: limits) else { return nil }
      if let remaining = members.first(where: { $0.name == "remaining" })?.value {
        return remaining <= 0 ? members.first { $0.name == "reset" }?.value.map(duration) : nil
      }
      let seconds = members.compactMap { member -> Int? in
        guard let remaining = member.parameters["r"], remaining <= 0 else { return nil }
        return member.parameters["t"] ?? window(of: member.name)
      }
      return seconds.max().map(duration)
    }

    private func window(of name: String) -> Int? {
      RateLimitParser.members(of: policies)?.first { $0.name == name }?.parameters["w"]
    }

    private func fromCounters(now: Date) -> Duration? {
      guard let remaining = remaining.flatMap({ Double($0) }), remaining <= 0,
        let reset = reset.flatMap({ Double($0) }), reset.isFinite
      else { return nil }
      // Nobody asks for a pause of thirty years: that is a date.
      let seconds = reset >= 1e9 ? reset - now.timeIntervalSince1970 : reset
      return .seconds(max(0, min(seconds, Double(Int32.max))))
    }

    private func duration(_ seconds: Int) -> Duration {
      .seconds(max(0, min(seconds, Int(Int32.max))))
    }
  }
}
