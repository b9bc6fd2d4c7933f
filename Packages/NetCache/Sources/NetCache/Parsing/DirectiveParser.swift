/// The directives of `Cache-Control` fields: `name`, `name=token` or `name="quoted"` between commas (RFC 9111, section 5.2).
///
/// What is not of that form ends at the next comma, and counts as its directive with an argument that says nothing. It never
/// hides the directives after it: a quotation mark that is not closed is an ordinary character.
struct DirectiveParser: Sequence, IteratorProtocol {
  struct Directive: Equatable {
    /// The name, in lower case.
    var name: String
    /// The argument, without quotation marks; `nil` when there is none.
    var argument: String?
    /// Whether the directive has another form than the RFC's.
    var isMalformed = false
  }

  private var rest: Substring.UTF8View

  init(_ value: String) {
    rest = value[...].utf8
  }

  mutating func next() -> Directive? {
    skip { $0 == comma || isBlank($0) }
    guard !rest.isEmpty else { return nil }
    let name = take(while: isToken)
    var directive = Directive(name: String(name).lowercased())
    if rest.first == equals {
      rest.removeFirst()
      directive.argument = quotedString() ?? String(take(while: isToken))
      if directive.argument?.isEmpty == true, !wasQuoted { directive.isMalformed = true }
    }
    skip(while: isBlank)
    if let first = rest.first, first != comma {
      directive.isMalformed = true
      skip { $0 != comma }
    }
    return directive
  }

  private var wasQuoted = false

  /// The text of a quoted string, which is passed; `nil`, and nothing is passed, when there is none that is closed.
  private mutating func quotedString() -> String? {
    wasQuoted = false
    guard rest.first == quote else { return nil }
    var text: [UInt8] = []
    var place = rest.index(after: rest.startIndex)
    while place < rest.endIndex {
      var byte = rest[place]
      place = rest.index(after: place)
      if byte == quote {
        rest = rest[place...]
        wasQuoted = true
        return String(decoding: text, as: UTF8.self)
      }
      if byte == backslash, place < rest.endIndex {
        byte = rest[place]
        place = rest.index(after: place)
      }
      text.append(byte)
    }
    return nil
  }

  private mutating func take(while isPart: (UInt8) -> Bool) -> Substring {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return Substring(part)
  }

  private mutating func skip(while isSkipped: (UInt8) -> Bool) {
    rest = rest.drop(while: isSkipped)
  }
}

private let comma = UInt8(ascii: ",")
private let equals = UInt8(ascii: "=")
private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

private func isToken(_ byte: UInt8) -> Bool {
  switch byte {
  case comma, equals, quote, 0...0x20, 0x7F..., UInt8(ascii: ";"): false
  default: true
  }
}
