/// Keeps the cookies of a ``CookieJar`` beyond its life: those with an expiry, since the others end with it.
///
/// Ready-made is ``FileCookieStore``. ``Cookie`` is `Codable` for one of your own, such as one over a key chain.
public protocol CookieStore: Sendable {
  /// The cookies that were saved last; none at first. It is called once.
  ///
  /// - Throws: When they cannot be read. The jar says so and begins empty; what it saves later replaces them, so put aside
  ///   first what is worth it.
  func load() async throws -> [Cookie]

  /// Keeps `cookies`, and nothing else. It is not called again before it has returned.
  func save(_ cookies: [Cookie]) async throws
}
