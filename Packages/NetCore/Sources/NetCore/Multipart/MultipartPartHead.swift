/// The fields of a part, and what they say.
struct MultipartPartHead: Equatable {
  let fields: HTTPFields
  let name: String
  let filename: String?

  /// - Throws: ``MultipartError`` of kind `malformed` unless exactly one `Content-Disposition` says that this is a part of a
  ///   form and gives it a name (RFC 7578, section 4.2), and the content is not encoded (section 4.7).
  init(_ fields: HTTPFields) throws {
    let values = fields[values: .contentDisposition]
    guard values.count == 1 else {
      throw MultipartError.malformed("A part has \(values.count) fields Content-Disposition, not one.")
    }
    let disposition = ParameterizedValue(values[0], quoting: .literal)
    guard disposition.isWellFormed, disposition.value == "form-data", let name = disposition.parameters["name"] else {
      throw MultipartError.malformed("A part's Content-Disposition is not form-data with a name.")
    }
    guard fields[values: .contentType].count <= 1 else {
      throw MultipartError.malformed("A part has more than one Content-Type.")
    }
    guard fields[values: "Content-Transfer-Encoding"].allSatisfy(Self.isIdentity) else {
      throw MultipartError.malformed("A part has a transfer encoding, which forms do not use.")
    }
    self.fields = fields
    self.name = MultipartName.decode(name)
    filename = disposition.parameters["filename"].map(MultipartName.decode)
  }

  private static func isIdentity(_ encoding: String) -> Bool {
    ["7bit", "8bit", "binary"].contains(encoding.lowercased())
  }
}
