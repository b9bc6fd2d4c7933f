import Foundation
import NetCore

extension HTTPFields {
  /// The fields of a URLSession's response.
  ///
  /// A session keeps them in a dictionary: their order is lost (they are sorted by name here), and those of the same
  /// name are joined by `", "`. Of those only `Set-Cookie` must be, and is, taken apart again.
  init(_ dictionary: [AnyHashable: Any]) {
    let entries = dictionary.compactMap { key, value -> (name: String, value: String)? in
      guard let name = key as? String, let value = value as? String else { return nil }
      return (name, value)
    }
    self.init()
    reserveCapacity(entries.count)
    for entry in entries.sorted(by: { $0.name < $1.name }) {
      guard let name = HTTPField.Name(entry.name) else { continue }
      for value in name == .setCookie ? Self.cookies(in: entry.value) : [entry.value] {
        append(name, value)
      }
    }
  }

  /// The values that were joined: a comma begins a new cookie when `name=` follows it (RFC 6265, section 4.1.1), which is
  /// not so for the comma in a date.
  private static func cookies(in joined: String) -> [String] {
    var cookies: [String] = []
    for part in joined.split(separator: ", ", omittingEmptySubsequences: false) {
      let name = part.prefix { $0 != "=" && $0 != ";" && $0 != " " && $0 != "," }
      let beginsCookie = !name.isEmpty && name.endIndex < part.endIndex && part[name.endIndex] == "="
      if beginsCookie || cookies.isEmpty {
        cookies.append(String(part))
      } else {
        cookies[cookies.count - 1] += ", " + part
      }
    }
    return cookies
  }

  /// The fields as a URLRequest keeps them: one value a name, several joined by `", "` (cookies by `"; "`).
  ///
  /// - Throws: `APIError` of kind `unsupported` for a value that is not UTF-8, which a URLRequest cannot carry.
  func dictionary() throws -> [String: String] {
    var names: [HTTPField.Name: String] = [:]
    var values: [String: String] = [:]
    for field in self {
      let value = field.value
      guard value.utf8.elementsEqual(field.bytes) else {
        throw APIError(
          .unsupported,
          reason: "The value of the field \(field.name) is not UTF-8, which URLSession cannot send: encode it as text.")
      }
      let name = names[field.name, default: field.name.rawName]
      names[field.name] = name
      let separator = field.name == .cookie ? "; " : ", "
      values[name] = values[name].map { $0 + separator + value } ?? value
    }
    return values
  }
}
