/// Makes a file's name of what a stranger calls a file.
enum SafeFilename {
  /// The most bytes of a name on the usual file systems.
  static let maximumSize = 255
  /// The most bytes, with the dot, of an ending that is kept when a name is cut.
  private static let maximumExtensionSize = 32

  /// A name that is one component of a path, shows what it is, and can be written on any file system.
  ///
  /// - The last component of `name` counts, whichever slash it is written with.
  /// - Control, formatting and bidirectional characters are dropped; what Windows forbids becomes `_`, a blank a space.
  /// - Dots and spaces at both ends are dropped: no name is hidden, `.` or `..`.
  /// - A name that Windows reserves, such as `con.txt`, gets a `_` in front.
  /// - It has at most `maximumSize` bytes of UTF-8, cut between two characters in front of its extension.
  ///
  /// - Parameters:
  ///   - name: What the file is called.
  ///   - default: The answer, unchanged, when there is no name or nothing is left of it.
  ///   - maximumSize: The most bytes, 64 or more. Fewer than the default leave room for a suffix.
  static func make(
    from name: String?, default: String, maximumSize: Int = Self.maximumSize
  ) -> String {
    guard let name else { return `default` }
    let cleaned = unreserved(clean(name))
    let short = unreserved(shorten(cleaned, to: max(maximumSize, 64)))
    return short.isEmpty ? `default` : short
  }

  /// Looks at scalars, not characters: a slash with a combining mark is a slash to a file system.
  private static func clean(_ name: String) -> String {
    let component = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last
    return trim(String(String.UnicodeScalarView((component ?? "".unicodeScalars[...]).compactMap(replacement))))
  }

  /// What stands for a scalar; `nil` when it is dropped.
  private static func replacement(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: nil
    case .spaceSeparator: " "
    case _ where scalar.properties.isNoncharacterCodePoint: nil
    default: "<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar
    }
  }

  private static func trim(_ name: String) -> String {
    let isEdge = { (scalar: Unicode.Scalar) in scalar == "." || scalar == " " }
    let head = name.unicodeScalars.drop(while: isEdge)
    return String(head.dropLast(head.reversed().prefix(while: isEdge).count))
  }

  /// Windows looks at what stands before the first dot, without regard to case and spaces at its end.
  private static func unreserved(_ name: String) -> String {
    let stem = name.unicodeScalars.prefix { $0 != "." }
    let bare = String(stem.dropLast(stem.reversed().prefix { $0 == " " }.count)).uppercased()
    return isReserved(bare) ? "_" + name : name
  }

  private static func isReserved(_ stem: String) -> Bool {
    switch stem {
    case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$": true
    default: stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && "0123456789¹²³".contains(stem.last!)
    }
  }

  private static func shorten(_ name: String, to size: Int) -> String {
    guard name.utf8.count > size else { return name }
    let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
    let ending = name[dot...].utf8.count <= maximumExtensionSize ? String(name[dot...]) : ""
    let stem = name.unicodeScalars.dropLast(ending.unicodeScalars.count)
    return trim(prefix(of: String(stem), size: size - ending.utf8.count)) + ending
  }

  /// As many characters as `size` bytes hold; scalars where even the first character is longer.
  private static func prefix(of text: String, size: Int) -> String {
    var kept = ""
    for character in text {
      guard kept.utf8.count + character.utf8.count <= size else { break }
      kept.append(character)
    }
    guard kept.isEmpty else { return kept }
    for scalar in text.unicodeScalars {
      guard kept.utf8.count + UTF8.width(scalar) <= size else { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }
}
