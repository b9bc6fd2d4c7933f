#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The beginning of a JSON text in which strings and numbers are hidden unless they stand under an allowed key.
///
/// It reads tokens, not a tree, so that a text that is cut short or malformed is hidden just as well: what cannot be
/// told to stand under an allowed key is not shown.
struct JSONExcerpt {
  /// The excerpt; ends in `…` when it is not all of the text.
  private(set) var text = ""

  private enum Container {
    case object(key: String?)
    case array(isShown: Bool)
  }

  private let shownKeys: Set<String>
  private var containers: [Container] = []
  private var rest: Data.SubSequence

  /// `nil` when `body` does not begin as a JSON object or array.
  init?(of body: Data, showing shownKeys: Set<String>, limit: Int) {
    rest = body.drop { Self.blanks.contains($0) }
    guard rest.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "[") else { return nil }
    self.shownKeys = shownKeys
    while !rest.isEmpty {
      guard text.utf8.count < limit, appendToken() else {
        text += "…"
        break
      }
    }
  }

  /// Takes one token from `rest`; `false` when it is none of JSON's.
  private mutating func appendToken() -> Bool {
    let byte = rest.removeFirst()
    switch byte {
    case UInt8(ascii: "{"):
      containers.append(.object(key: nil))
    case UInt8(ascii: "["):
      containers.append(.array(isShown: isShown))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard containers.popLast() != nil else { return false }
    case UInt8(ascii: ","):
      if case .object = containers.last { containers[containers.count - 1] = .object(key: nil) }
    case UInt8(ascii: ":"):
      break
    case UInt8(ascii: "\""):
      appendString()
      return true
    case _ where Self.blanks.contains(byte):
      rest = rest.drop { Self.blanks.contains($0) }
      return true
    default:
      return appendScalar(startingWith: byte)
    }
    text.unicodeScalars.append(Unicode.Scalar(byte))
    return true
  }

  private var isShown: Bool {
    switch containers.last {
    case .object(let key): key.map { shownKeys.contains($0.lowercased()) } ?? false
    case .array(let isShown): isShown
    case nil: false
    }
  }

  private mutating func appendString() {
    let content = takeString()
    if case .object(key: nil) = containers.last {
      containers[containers.count - 1] = .object(key: content)
      text += "\"\(content)\""
    } else {
      text += "\"\(isShown ? content : Redactor.placeholder)\""
    }
  }

  /// The string up to its closing quote, escapes as they stand.
  private mutating func takeString() -> String {
    var end = rest.startIndex
    while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
      end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    end = min(end, rest.endIndex)
    let content = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[end...].dropFirst()
    return content
  }

  private mutating func appendScalar(startingWith first: UInt8) -> Bool {
    let tail = rest.prefix { Self.scalarBytes.contains($0) }
    let scalar = String(decoding: [first] + tail, as: UTF8.self)
    rest = rest.dropFirst(tail.count)
    guard scalar.utf8.allSatisfy(Self.scalarBytes.contains) else { return false }
    text += isShown || ["true", "false", "null"].contains(scalar) ? scalar : Redactor.placeholder
    return true
  }

  private static let blanks = Set(" \t\r\n".utf8)
  private static let scalarBytes = Set("+-.0123456789Eaeflnrstu".utf8)
}
