/// One header or trailer field: a name and a value (RFC 9110, section 5).
///
/// A value is bytes. Most are text, and ``value`` gives it; those that are not UTF-8 (an old server's Latin-1, say) keep
/// their bytes, and ``bytes`` gives them back unchanged.
public struct HTTPField: Sendable, Hashable {
  /// The name.
  public let name: Name
  private let storage: Storage

  private enum Storage: Sendable, Hashable {
    case text(String)
    /// Bytes that are not UTF-8.
    case opaque([UInt8])
  }

  /// A field with a text value, sent as UTF-8.
  ///
  /// White space around the value is no part of it (RFC 9110, section 5.5) and is dropped.
  /// - Returns: `nil` when the value has a control character other than a tab: CR, LF and NUL end or split a field on
  ///   the wire, and the others may.
  public init?(name: Name, value: String) {
    guard Self.isValid(value.utf8) else { return nil }
    self.name = name
    storage = .text(Self.isTrimmed(value.utf8) ? value : String(Self.trimmed(value.utf8)) ?? value)
  }

  /// A field with a value given as bytes, which are sent as they are.
  ///
  /// White space around the value is dropped; `nil` under the same rule as ``init(name:value:)``.
  @inlinable
  public init?(name: Name, bytes: some BidirectionalCollection<UInt8>) {
    let field =
      bytes.withContiguousStorageIfAvailable { Self(name: name, buffer: $0) }
      ?? Array(bytes).withUnsafeBufferPointer { Self(name: name, buffer: $0) }
    guard let field else { return nil }
    self = field
  }

  @usableFromInline
  init?(name: Name, buffer bytes: UnsafeBufferPointer<UInt8>) {
    guard let storage = Self.storage(of: bytes) else { return nil }
    self.name = name
    self.storage = storage
  }

  private static func storage(of bytes: UnsafeBufferPointer<UInt8>) -> Storage? {
    guard isValid(bytes) else { return nil }
    let trimmed = UnsafeBufferPointer(rebasing: trimmed(bytes))
    return String(validating: trimmed, as: UTF8.self).map(Storage.text) ?? .opaque(Array(trimmed))
  }

  /// The value as text: UTF-8, or ISO 8859-1 when the bytes are not UTF-8.
  public var value: String {
    switch storage {
    case .text(let text): text
    case .opaque(let bytes): String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }

  /// The value's bytes, as received or as they will be sent.
  public var bytes: [UInt8] {
    switch storage {
    case .text(let text): Array(text.utf8)
    case .opaque(let bytes): bytes
    }
  }

  /// Appends the value's bytes, without a copy of them in between.
  @_spi(NetKits) public func appendBytes(to bytes: inout [UInt8]) {
    switch storage {
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .opaque(let value): bytes.append(contentsOf: value)
    }
  }

  /// Whether the value has no bytes.
  @_spi(NetKits) public var isEmpty: Bool {
    switch storage {
    case .text(let text): text.isEmpty
    case .opaque(let value): value.isEmpty
    }
  }

  /// Whether `bytes` may stand in a field value: no control character but the tab (RFC 9110, section 5.5).
  private static func isValid(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { ($0 >= 0x20 || $0 == UInt8(ascii: "\t")) && $0 != 0x7F }
  }

  private static func isTrimmed(_ bytes: String.UTF8View) -> Bool {
    !isBlank(bytes.first ?? 0) && !isBlank(bytes.last ?? 0)
  }

  private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    let head = bytes.drop(while: isBlank)
    return head[..<(head.lastIndex { !isBlank($0) }.map { head.index(after: $0) } ?? head.startIndex)]
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

extension HTTPField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `Name: value`, with a value hidden that ``Redactor/standard`` does not allow.
  public var description: String {
    "\(name): \(Redactor.standard.fields.contains(name) ? value : Redactor.placeholder)"
  }

  /// The same as ``description``: printing a field leaks no secret.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
