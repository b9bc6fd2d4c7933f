/// An entity tag (RFC 9110, section 8.8.3): `"abc"` or `W/"abc"`. One of another form is sent back as it came.
struct EntityTag: Sendable, Hashable {
  /// The tag as it was sent.
  let text: String

  init(_ text: String) {
    self.text = text
  }

  var isWeak: Bool { text.hasPrefix("W/") }

  /// Whether both are for the same content, which need not be the same to the byte.
  func matchesWeakly(_ other: EntityTag) -> Bool {
    opaque == other.opaque
  }

  /// Whether both are for the same bytes.
  func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && text == other.text
  }

  private var opaque: Substring { isWeak ? text.dropFirst(2) : text[...] }

  /// The tags of an `If-None-Match` value.
  static func list(_ value: String) -> [EntityTag] {
    FieldList.members(of: value).map { EntityTag(String($0)) }
  }
}
