/// The items of a URL's query or of a form, in order, names repeated as given.
///
///     ["q": text, "page": 2, "after": cursor]     // an item whose value is nil is left out
///
/// Names and values are data: everything but letters, digits and `-._~` is percent-encoded, so a space is `%20` and a
/// plus is `%2B` (in a form, a space is `+`).
public struct Query: Sendable, Hashable {
  /// The items: name and value, not encoded.
  public private(set) var items: [Item] = []

  /// One name with its value.
  public struct Item: Sendable, Hashable {
    /// The name, not encoded.
    public let name: String
    /// The value, not encoded.
    public let value: String
  }

  /// No items.
  public init() {}

  /// The given pairs of name and value, in order.
  public init(_ pairs: some Sequence<(String, String)>) {
    items = pairs.map { Item(name: $0.0, value: $0.1) }
  }

  /// Whether there are no items.
  public var isEmpty: Bool { items.isEmpty }

  /// Adds an item after the others; does nothing when `value` is `nil`.
  public mutating func append(_ name: String, _ value: (any CustomStringConvertible)?) {
    if let value { items.append(Item(name: name, value: value.description)) }
  }

  /// Adds all of `other`'s items after these.
  public mutating func append(contentsOf other: Query) {
    items.append(contentsOf: other.items)
  }

  /// The items as a URL's query (RFC 3986, section 3.4).
  public var encoded: String {
    joined(PercentEncoding.encode)
  }

  /// The items as `application/x-www-form-urlencoded` content (WHATWG URL, section 5.2).
  var formEncoded: String {
    joined(PercentEncoding.encodeForm)
  }

  private func joined(_ encode: (String) -> String) -> String {
    items.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }
}

extension Query: ExpressibleByDictionaryLiteral {
  /// The given items in the order of the literal; those whose value is `nil` are left out.
  public init(dictionaryLiteral elements: (String, (any CustomStringConvertible)?)...) {
    for (name, value) in elements { append(name, value) }
  }
}

extension Query: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names, with every value hidden: printing a query or a form leaks no secret.
  public var description: String {
    items.map { "\($0.name)=\(Redactor.placeholder)" }.joined(separator: "&")
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
