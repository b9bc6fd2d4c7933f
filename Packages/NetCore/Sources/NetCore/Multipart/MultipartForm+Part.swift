extension MultipartForm {
  /// One field or file of a form.
  public struct Part: Sendable {
    /// The field's name. Any text: what cannot stand in a field is escaped as browsers do.
    public var name: String
    /// What the content is called, if it is a file; escaped as ``name`` is.
    public var filename: String?
    /// The content's type; none is sent for text, as browsers do.
    public var contentType: String?
    /// The content.
    public var body: HTTPBody

    /// A part.
    public init(name: String, filename: String? = nil, contentType: String? = nil, body: HTTPBody) {
      self.name = name
      self.filename = filename
      self.contentType = contentType
      self.body = body
    }
  }
}

extension MultipartForm.Part: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The length and type, and nothing of the content: printing a part leaks no secret.
  public var description: String {
    "a part of \(body.length.map { "\($0)" } ?? "?") bytes of \(contentType ?? "text")"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// No children: neither does dumping one.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
