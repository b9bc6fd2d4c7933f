/// The members of a field value that is a list (RFC 9110, section 5.6.1).
enum FieldList {
  /// The members, without the white space around them and without empty ones. A comma within quotation marks ends none.
  static func members(of value: String) -> [Substring] {
    var members: [Substring] = []
    var isQuoted = false
    var start = value.startIndex
    for place in value.utf8.indices {
      switch value.utf8[place] {
      case UInt8(ascii: "\""):
        isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        members.append(value[start..<place])
        start = value.utf8.index(after: place)
      default: break
      }
    }
    members.append(value[start...])
    return members.map(trimmed).filter { !$0.isEmpty }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let head = text.drop(while: isBlank)
    return head[..<(head.lastIndex { !isBlank($0) }.map { head.index(after: $0) } ?? head.startIndex)]
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }
}
