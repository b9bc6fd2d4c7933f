/// Header or trailer fields: an ordered multimap with case-insensitive names (RFC 9110, section 5).
///
/// Order and duplicates are kept: three `Set-Cookie` fields stay three.
///
///     var fields: HTTPFields = [.accept: "application/json"]
///     fields["X-Trace"] = trace
///     fields.append(.setCookie, "a=1")
///
/// A value that no wire may carry (one with CR, LF, NUL or another control character) never becomes a field. It is not
/// lost in silence either: ``rejected`` names it, and every client and transport refuses a request whose fields have one
/// with ``APIError/Kind/invalidRequest``.
public struct HTTPFields: Sendable, Hashable {
  private var fields: [HTTPField] = []

  /// The names, in order, of the fields whose values were refused because they held a control character.
  public private(set) var rejected: [HTTPField.Name] = []

  /// No fields.
  public init() {}

  /// The given fields, in order.
  public init(_ fields: some Sequence<HTTPField>) {
    self.fields = Array(fields)
  }

  /// The value of the fields called `name`: several are joined with `", "` (RFC 9110, section 5.3), none gives `nil`.
  ///
  /// Setting replaces them all with one field, at the place of the first; setting `nil` removes them. For `Set-Cookie`,
  /// whose values cannot be joined, use ``subscript(values:)``.
  public subscript(name: HTTPField.Name) -> String? {
    get {
      var joined: String?
      for field in fields where field.name == name {
        joined = joined.map { $0 + ", " + field.value } ?? field.value
      }
      return joined
    }
    set {
      // Most fields are set where there was none.
      if contains(name) || rejected.contains(name) {
        self[values: name] = newValue.map { [$0] } ?? []
      } else if let newValue {
        append(name, newValue)
      }
    }
  }

  /// The values of all fields called `name`, in order. Setting replaces them, at the place of the first.
  public subscript(values name: HTTPField.Name) -> [String] {
    get {
      fields.lazy.filter { $0.name == name }.map(\.value)
    }
    set {
      rejected.removeAll { $0 == name }
      let place = fields.firstIndex { $0.name == name } ?? fields.endIndex
      fields.removeAll { $0.name == name }
      fields.insert(contentsOf: newValue.compactMap { checked(name, $0) }, at: Swift.min(place, fields.endIndex))
    }
  }

  /// Adds a field after all others, keeping those of the same name.
  public mutating func append(_ field: HTTPField) {
    fields.append(field)
  }

  /// Adds a field after all others, keeping those of the same name.
  public mutating func append(_ name: HTTPField.Name, _ value: String) {
    if let field = checked(name, value) { fields.append(field) }
  }

  /// Adds all of `other`'s fields after these.
  public mutating func append(contentsOf other: HTTPFields) {
    fields.append(contentsOf: other.fields)
    rejected.append(contentsOf: other.rejected)
  }

  /// Replaces every name that `other` has with `other`'s fields of that name.
  public mutating func override(with other: HTTPFields) {
    guard !other.isEmpty || !other.rejected.isEmpty else { return }
    fields.removeAll { other.contains($0.name) || other.rejected.contains($0.name) }
    rejected.removeAll { other.contains($0) || other.rejected.contains($0) }
    append(contentsOf: other)
  }

  /// Whether a field called `name` is present.
  public func contains(_ name: HTTPField.Name) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Removes every field called `name`.
  public mutating func remove(_ name: HTTPField.Name) {
    fields.removeAll { $0.name == name }
    rejected.removeAll { $0 == name }
  }

  /// Makes room for `count` fields.
  public mutating func reserveCapacity(_ count: Int) {
    fields.reserveCapacity(count)
  }

  private mutating func checked(_ name: HTTPField.Name, _ value: String) -> HTTPField? {
    let field = HTTPField(name: name, value: value)
    if field == nil { rejected.append(name) }
    return field
  }
}

extension HTTPFields: RandomAccessCollection {
  /// The index of the first field: 0.
  public var startIndex: Int { fields.startIndex }
  /// The index after the last field: their number.
  public var endIndex: Int { fields.endIndex }
  /// The field at `position`.
  public subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// The given fields in the order of the literal, duplicates kept.
  public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension HTTPFields: CustomStringConvertible, CustomDebugStringConvertible {
  /// The fields as `Name: value` lines, with every value that ``Redactor/standard`` does not allow hidden.
  public var description: String {
    Redactor.standard.redact(self).map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }

  /// The same as ``description``: printing fields leaks no secret.
  public var debugDescription: String { description }
}
