#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPRequest {
  /// The request as a `curl` command for a POSIX shell, with what `redactor` does not allow hidden.
  ///
  /// Every argument is quoted, so that nothing in a URL, a field or a body can be run by the shell. A body that may not be
  /// shown is left out, and a comment says so.
  public func curlCommand(redactor: Redactor = .standard) -> String {
    var words = ["curl", "--globoff"]
    switch method {
    case .get where body.isEmpty: break
    case .head: words.append("--head")
    default: words += ["--request", Self.quoted(method.rawValue)]
    }
    words.append(Self.quoted(redactor.redact(url)))
    for field in redactor.redact(fields) {
      // curl drops a field written with a colon and no value; a semicolon sends it empty.
      let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      words += ["--header", Self.quoted(text)]
    }
    guard !body.isEmpty else { return words.joined(separator: " ") }
    if case .bytes(let bytes) = body.content {
      let excerpt = redactor.excerpt(of: bytes, contentType: fields[.contentType], limit: 10_000)
      if !excerpt.hasPrefix("<") {
        return (words + ["--data-raw", Self.quoted(excerpt)]).joined(separator: " ")
      }
    }
    let size = body.length.map { "\($0) bytes" } ?? "unknown length"
    return words.joined(separator: " ") + " # a body of \(size) is left out"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
