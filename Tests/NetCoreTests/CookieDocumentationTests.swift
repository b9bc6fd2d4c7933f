import Foundation
import NetCore
import NetTesting
import TestSupport
import Testing

// The samples of Cookies.md, compiled.

private struct Basket: Decodable {
  var items: [String]
}

@Suite(.timeLimit(.minutes(1))) struct CookieDocumentationTests {
  private let baseURL = URL(string: "https://shop.example.com/")!

  @Test func `the first sample works as written`() async throws {
    let folder = try TemporaryFolder()
    let cookieFile = folder.url.appending(path: "cookies.json")
    let login = ["user": "ann"]
    let transport = ClosureTransport { request in
      switch request.path {
      case "/login": .status(.noContent, fields: [.setCookie: "sid=1; Path=/; Secure; HttpOnly; Max-Age=3600"])
      default: request.fields[.cookie] == "sid=1" ? .json(#"{"items": ["beans"]}"#) : .status(.unauthorized)
      }
    }
    var configuration = HTTPClient.Configuration(baseURL: baseURL)

    let jar = CookieJar(store: FileCookieStore(file: cookieFile))
    configuration.cookies = jar
    let client = HTTPClient(configuration, transport: transport)

    try await client.send(Endpoint<Void>(.post, path: "login", body: .encoded(login)))
    let basket = try await client.send(Endpoint<Basket>(path: "basket"))
    try await jar.save()

    #expect(basket.items == ["beans"])
    #expect(try await FileCookieStore(file: cookieFile).load().map(\.name) == ["sid"])
  }

  @Test func `a cookie is set by hand`() async throws {
    let jar = CookieJar()
    await jar.setCookies(from: ["Set-Cookie": "theme=dark; Path=/; Max-Age=86400"], for: baseURL)
    #expect(await jar.cookies(for: baseURL).map(\.value) == ["dark"])
  }

  @Test func `a list of public suffixes is read`() async throws {
    let folder = try TemporaryFolder()
    let listFile = URL(filePath: try folder.write("// shared\nshop.example.com\n", to: "list"))
    let suffixes = PublicSuffixes(list: try String(contentsOf: listFile, encoding: .utf8))
    let jar = CookieJar(publicSuffixes: suffixes)
    await jar.setCookies(
      from: [.setCookie: "a=1; Domain=shop.example.com"], for: baseURL.appending(path: "x"))
    #expect(await jar.all.map(\.isHostOnly) == [true])
  }
}
