/// The value of a `Content-Disposition` field (RFC 6266; RFC 7578, section 4.2).
///
///     let name = SafeFilename.make(from: ContentDisposition(fieldValue).filename, default: "download")
struct ContentDisposition: Sendable {
  /// The type, in lower case: `attachment`, `inline`, `form-data`. Empty when it is missing.
  let type: String
  /// The parameters, their names in lower case, their values as sent but for the quotes.
  let parameters: [String: String]
  /// Whether all of it obeys the grammar: what does not was read with good will or left out.
  let isWellFormed: Bool

  /// Reads a field's value. Whatever it holds, this takes bounded time and memory.
  init(_ fieldValue: String) {
    let parsed = ParameterizedValue(fieldValue)
    type = parsed.value
    parameters = parsed.parameters
    isWellFormed = parsed.isWellFormed
  }

  /// The name that the sender gives the content: that of `filename*` (RFC 8187) if there is one which can be read, else
  /// that of `filename`. It may be anything, a path too: only ``SafeFilename`` makes a file's name of it.
  var filename: String? {
    parameters["filename*"].flatMap(Self.decodeExtended) ?? parameters["filename"]
  }

  /// A value of RFC 8187, section 3.2: `UTF-8'en'na%C3%AFve.txt`. `nil` for another character set than UTF-8 and
  /// ISO 8859-1, and for bytes that are none of the former's.
  static func decodeExtended(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2]) else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }
}
