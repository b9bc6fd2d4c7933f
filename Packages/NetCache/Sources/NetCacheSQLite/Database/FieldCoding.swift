import NetCore
@_spi(NetKits) import NetSQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The fields of a stored response as bytes: a line each, the name, a colon and the value. No name has a colon in it, and no
/// value a line feed.
enum FieldCoding {
  static func encode(_ fields: HTTPFields) -> Data {
    var bytes = Data()
    for field in fields {
      bytes.append(contentsOf: field.name.rawName.utf8)
      bytes.append(colon)
      bytes.append(contentsOf: field.bytes)
      bytes.append(lineFeed)
    }
    return bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) throws(SQLiteError) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(16)
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let end = rest.firstIndex(of: lineFeed), let nameEnd = rest[..<end].firstIndex(of: colon),
        let name = HTTPField.Name(String(decoding: rest[..<nameEnd], as: UTF8.self)),
        let field = HTTPField(name: name, bytes: UnsafeRawBufferPointer(rebasing: rest[(nameEnd + 1)..<end]))
      else { throw .damaged("a stored response has fields that cannot be read") }
      fields.append(field)
      rest = rest[(end + 1)...]
    }
    return fields
  }

  private static let colon = UInt8(ascii: ":")
  private static let lineFeed = UInt8(ascii: "\n")
}
