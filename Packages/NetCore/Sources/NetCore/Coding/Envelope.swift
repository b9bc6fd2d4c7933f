/// Reads a value that stands inside other objects, under the names of ``EnvelopePath/current``.
struct Envelope<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    guard let name = EnvelopePath.current.first else {
      value = try Value(from: decoder)
      return
    }
    let container = try decoder.container(keyedBy: Name.self)
    let key = Name(stringValue: container.contains(Name(stringValue: name)) ? name : name.camelCased)
    value = try EnvelopePath.$current.withValue(EnvelopePath.current.dropFirst()) {
      EnvelopePath.current.isEmpty
        ? try container.decode(Value.self, forKey: key)
        : try container.decode(Envelope<Value>.self, forKey: key).value
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The names an ``Envelope`` has still to go through. Decoders of any make give no other way to hand a value down.
enum EnvelopePath {
  @TaskLocal static var current: ArraySlice<String> = []
}

extension String {
  /// `user_name` as `userName`: what a decoder makes of a key on the wire under `.snakeCase`.
  fileprivate var camelCased: String {
    let words = split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
