import NetCore

/// Tells the variants of a URL apart by the request's fields that `Vary` names (RFC 9111, section 4.1).
enum VariantDigest {
  /// A digest of the fields called `names`; empty when there are none.
  ///
  /// Values that mean the same have the same digest: white space, the split of a list over several fields, and for some
  /// fields case and order make no difference; `Cookie` and `Authorization` are taken as they are. A field that is missing
  /// differs from one that is empty.
  static func make(of names: [HTTPField.Name], in fields: HTTPFields) -> String {
    guard !names.isEmpty else { return "" }
    var text = ""
    for name in names.map(\.canonicalName).sorted() {
      let values = fields.lazy.filter { $0.name.canonicalName == name }.map(\.value)
      text += name
      text += values.isEmpty ? "\n" : ":" + normalized(values.joined(separator: ","), of: name) + "\n"
    }
    return fingerprint(of: text)
  }

  private static func normalized(_ value: String, of name: String) -> String {
    switch name {
    case "accept-encoding", "accept-charset": FieldList.members(of: value.lowercased()).sorted().joined(separator: ",")
    // The order is a preference to many servers.
    case "accept-language": FieldList.members(of: value.lowercased()).joined(separator: ",")
    // No lists: a comma and a blank belong to the value, and another value is somebody else's.
    case "authorization", "cookie": value
    default: FieldList.members(of: value).joined(separator: ",")
    }
  }
}
