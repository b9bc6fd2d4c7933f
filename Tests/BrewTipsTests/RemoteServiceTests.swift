import BrewTips
import Foundation
import NetCore
import NetTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RemoteServiceTests {
  private let ada = User(id: 1, name: "Ada Lovelace", email: "ada@example.com")

  private func client(_ transport: ClosureTransport) throws -> HTTPClient {
    HTTPClient(baseURL: try #require(URL(string: "https://example.com/api")), transport: transport)
  }

  @Test func `asks tips/today for the tip`() async throws {
    let transport = ClosureTransport { _ in .json(#"{"tip": "Rinse the filter.", "by": "Ada"}"#) }

    let today = try await RemoteBrewTipsService(client: client(transport)).tipOfTheDay()

    #expect(today == TipOfTheDay(BrewTip("Rinse the filter."), source: .network, age: .zero))
    let request = try #require(transport.requests.first)
    #expect(request.method == .get)
    #expect(request.url.absoluteString == "https://example.com/api/tips/today")
  }

  @Test(arguments: [
    ("0", 0), ("75", 75), ("4294967295", 4_294_967_295), ("-1", 0), ("1.5", 0), ("soon", 0), ("1, 2", 0),
    ("99999999999999999999", 0),
  ])
  func `takes the age from the Age field when it is valid`(field: String, seconds: Int) async throws {
    let transport = ClosureTransport { _ in .json(#"{"tip": "Rinse."}"#, fields: [.age: field]) }

    let today = try await RemoteBrewTipsService(client: client(transport)).tipOfTheDay()

    #expect(today.age == .seconds(seconds))
  }

  @Test(arguments: [
    (CacheOutcome.hit(age: .seconds(75)), TipOfTheDay.Source.cache),
    (.staleHit(age: .seconds(75), .disconnected), .stale), (.revalidated, .network), (.miss, .network),
    (.bypass(.noStore), .network),
  ])
  func `says whether the tip was stored`(outcome: CacheOutcome, source: TipOfTheDay.Source) async throws {
    let transport = ClosureTransport { _ in
      var response = HTTPResponse.json(#"{"tip": "Rinse."}"#, fields: [.age: "75"])
      response.info.cache = outcome
      return response
    }

    let today = try await RemoteBrewTipsService(client: client(transport)).tipOfTheDay()

    #expect(today == TipOfTheDay(BrewTip("Rinse."), source: source, age: .seconds(75)))
  }

  @Test(arguments: [#"{"tip": ""}"#, #"{"tip": " \n\t"}"#, #"{"tip": null}"#, #"{"tip": 7}"#, "{}", "[]", "not JSON"])
  func `refuses an answer that would make a blank card`(content: String) async throws {
    let service = try RemoteBrewTipsService(client: client(ClosureTransport { _ in .json(content) }))

    await #expect(throws: APIError.decoding) { try await service.tipOfTheDay() }
  }

  @Test func `passes failures on as they are`() async throws {
    let tips = RemoteBrewTipsService(client: FakeNetworkClient(throwing: APIError.badStatus(500)))
    await #expect(throws: APIError.badStatus(500)) { try await tips.tipOfTheDay() }

    let users = RemoteUserService(client: FakeNetworkClient(throwing: CancellationError()))
    await #expect(throws: CancellationError.self) { try await users.users() }
  }

  @Test func `lists users`() async throws {
    let transport = ClosureTransport { _ in
      .json(#"[{"id": 1, "name": "Ada Lovelace", "email": "ada@example.com"}]"#)
    }

    let users = try await RemoteUserService(client: client(transport)).users()

    #expect(users == [ada])
    #expect(transport.requests.map(\.path) == ["/api/users"])
  }

  @Test func `gets one user by number`() async throws {
    let transport = ClosureTransport { request in
      request.path == "/api/users/1"
        ? .json(#"{"id": 1, "name": "Ada Lovelace", "email": "ada@example.com"}"#) : .status(404)
    }
    let service = try RemoteUserService(client: client(transport))

    #expect(try await service.user(id: 1) == ada)
    await #expect(throws: APIError.notFound) { try await service.user(id: 2) }
  }

  @Test func `creates a user by name and e-mail address`() async throws {
    let transport = ClosureTransport { _ in
      .json(#"{"id": 1, "name": "Ada Lovelace", "email": "ada@example.com"}"#, status: .created)
    }
    let service = try RemoteUserService(client: client(transport))

    #expect(try await service.createUser(name: "Ada Lovelace", email: "ada@example.com") == ada)

    let request = try #require(transport.requests.first)
    #expect(request.method == .post)
    #expect(request.path == "/api/users")
    #expect(request.fields[.contentType] == "application/json")
    #expect(request.text == #"{"email":"ada@example.com","name":"Ada Lovelace"}"#)
  }
}
