public import NetCore

/// Tips from a server: `GET tips/today`.
public struct RemoteBrewTipsService: BrewTipsService {
  private let client: any NetworkClient

  /// Tips through `client`.
  public init(client: any NetworkClient) {
    self.client = client
  }

  /// The server's tip of the day.
  ///
  /// - Throws: `APIError`; `CancellationError`.
  public func tipOfTheDay() async throws -> TipOfTheDay {
    let reply = try await client.reply(to: GetTipOfTheDay())
    return TipOfTheDay(reply.value, source: reply.source, age: reply.age)
  }
}

struct GetTipOfTheDay: APIRequest {
  typealias Response = BrewTip
  var path: RequestPath { "tips/today" }
}

extension Reply {
  /// Where the answer came from: one that the server has just confirmed is as good as new.
  fileprivate var source: TipOfTheDay.Source {
    switch info.cache {
    case .hit: .cache
    case .staleHit: .stale
    case .revalidated, .miss, .bypass, nil: .network
    }
  }

  /// The `Age` field (RFC 9111, section 5.1), which a cache on the way sets; zero without a valid one.
  fileprivate var age: Duration {
    .seconds(fields[.age].flatMap { UInt32($0) } ?? 0)
  }
}
