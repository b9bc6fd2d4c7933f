/// What a server recognises a repeated request by, sent as `Idempotency-Key`: with it, sending twice acts once.
///
/// Every attempt of a call sends the same key. A server that does not know the field acts on each request.
public struct IdempotencyKey: Sendable, Hashable {
  private let value: String?

  /// A new random key for each call, of 128 bits.
  public static let automatic = IdempotencyKey(value: nil)

  /// A key of the caller's own, such as one kept from an earlier run of the app.
  public static func value(_ key: String) -> IdempotencyKey {
    IdempotencyKey(value: key)
  }

  /// The field's value for one call.
  var fieldValue: String {
    value ?? "\(hex(.random(in: .min ... .max)))\(hex(.random(in: .min ... .max)))"
  }

  private func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
