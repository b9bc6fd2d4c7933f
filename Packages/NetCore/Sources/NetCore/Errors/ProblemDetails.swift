/// Problem details (RFC 9457, section 3.1).
public struct ProblemDetails: Sendable, Hashable, Codable {
  /// A URI that names the kind of problem; `about:blank` when the server names none.
  public var type: String
  /// A short summary of the kind of problem.
  public var title: String?
  /// The status code the server meant.
  public var status: Int?
  /// What happened this time.
  public var detail: String?
  /// A URI that names this occurrence.
  public var instance: String?

  /// Problem details.
  public init(
    type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
    instance: String? = nil
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.instance = instance
  }

  /// Reads the members; one of another type than the RFC's is ignored, as the RFC asks.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = (try? container.decode(String.self, forKey: .type)) ?? "about:blank"
    title = try? container.decode(String.self, forKey: .title)
    status = try? container.decode(Int.self, forKey: .status)
    detail = try? container.decode(String.self, forKey: .detail)
    instance = try? container.decode(String.self, forKey: .instance)
  }
}
