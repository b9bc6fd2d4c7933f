import Foundation
import NetCore
import NetTesting
import Testing

@Suite struct APIErrorTests {
  @Test func `errors are equal by kind, whatever their details`() {
    #expect(APIError.badStatus(500) == APIError(.serverError(500), reason: "other words"))
    #expect(APIError.badStatus(500) != .badStatus(503))
    #expect(APIError.badStatus(404) == .notFound)
    #expect(APIError.timedOut(.connect) != .timedOut(.idle))
    #expect(APIError.timedOut(.connect).isTimeout)
  }

  @Test(arguments: [
    (APIError.invalidURL, false), (.invalidRequest, false), (.transport(.nameResolution), false),
    (.transport(.connectionRefused), false), (.transport(.tls(.untrusted)), false), (.timedOut(.connect), false),
    (.timedOut(.firstByte), true), (.transport(.connectionLost), true), (.transport(.truncated), true),
    (.badStatus(500), true), (.decoding, true), (.noData, true),
  ])
  func `an error tells whether the server may have seen the request`(error: APIError, mayHave: Bool) {
    #expect(error.mayHaveReachedServer == mayHave)
  }

  @Test(arguments: [
    APIError.invalidURL, .invalidRequest, .transport(.offline), .transport(.connectionRefused), .timedOut(.total),
    .transport(.tls(.expired)), .notHTTP, .unauthorized, .forbidden, .notFound, .rateLimited, .badStatus(500),
    .badStatus(418), .tooLarge, .noData, .decoding,
  ])
  func `every error has a sentence for people, without jargon`(error: APIError) throws {
    let sentence = try #require(error.errorDescription)
    #expect(sentence.hasSuffix("."))
    #expect(error.localizedDescription == sentence)
    for word in ["APIError", "JSON", "nil", "transport", "URL"] { #expect(!sentence.contains(word)) }
  }

  @Test func `the developer's description has everything in its place`() async throws {
    let problem = #"{"type": "about:blank", "title": "No such widget", "detail": "Widget 7 is gone", "status": 404}"#
    let response = HTTPResponse.bytes(Data(problem.utf8), contentType: "application/problem+json", status: 404)
    let client = makeClient(answering(response))
    let endpoint = Endpoint<Widget>(path: "widgets/7", query: ["page": 2, "token": "s3cret"], name: "GetWidget")
    let error = try await apiError { try await client.send(endpoint) }
    #expect(
      error.debugDescription == """
        APIError.notFound: The server answered 404 Not Found.
          request: GET https://api.example.com/v1/widgets/7?page=2&token=<redacted> (GetWidget)
          response: 404 Not Found, application/problem+json, \(problem.utf8.count) bytes
          server says: "Widget 7 is gone"
          body: {"type":"about:blank","title":"No such widget","detail":"Widget 7 is gone","status":404}
          attempts: 1; the server may have seen the request
        """)
    #expect(error.errorDescription == "Widget 7 is gone")
    #expect("\(error)".hasPrefix("notFound: The server answered 404 Not Found. [GET https://"))
  }

  @Test func `a connection that is not secure says what to look at`() {
    let handshake = TransportFailure.tls(.handshake).description
    #expect(handshake == "No secure connection: the handshake failed: check that the server speaks TLS at that port.")
    let host = TransportFailure.tls(.wrongHost).description
    #expect(host == "No secure connection: the certificate is for another host: check the URL's host.")
  }
}

@Suite struct ServerMessageTests {
  private struct Legacy: Decodable {
    var reason: String
    var number: Int
  }

  private func error(_ body: String, type: String = "application/json", reader: ServerMessageReader = .standard)
    async throws
    -> APIError
  {
    let client = makeClient(answering(.bytes(Data(body.utf8), contentType: type, status: 422))) {
      $0.serverMessage = reader
      $0.coders = .json(keyPath: "data")
    }
    return try await apiError { try await client.send(Endpoint<Void>(path: "a")) }
  }

  @Test(arguments: [
    (#"{"error": {"message": "Out of beans", "code": "no_beans"}}"#, "Out of beans", "no_beans"),
    (#"{"error": {"message": "Out of beans", "code": 12}}"#, "Out of beans", "12"),
    (#"{"error": "invalid_grant"}"#, "invalid_grant", nil), (#"{"message": "Hm", "code": 3}"#, "Hm", "3"),
    (#"{"errors": []}"#, nil, nil), ("<html>", nil, nil), ("", nil, nil), ("[]", nil, nil), ("{}", nil, nil),
  ])
  func `the usual shapes are understood`(body: String, text: String?, code: String?) async throws {
    let message = try await error(body).serverMessage
    #expect(message?.text == text)
    #expect(message?.code == code)
  }

  @Test(arguments: [
    (#"{"title": "A", "detail": "B", "status": 422, "balance": 30}"#, "B"), (#"{"title": "A"}"#, "A"),
    (#"{"type": "https://x.example/out-of-beans"}"#, "https://x.example/out-of-beans"), ("{}", "Unprocessable Content"),
    (#"{"title": 7, "detail": "B"}"#, "B"),
  ])
  func `problem details are read as RFC 9457 says`(body: String, text: String) async throws {
    let message = try #require(try await error(body, type: "application/problem+json; charset=utf-8").serverMessage)
    #expect(message.text == text)
    #expect(message.problem != nil)
  }

  @Test func `a caller's own error type is understood, and what is not of that type still is`() async throws {
    let reader = ServerMessageReader.decoding(Legacy.self) { ServerMessage($0.reason, code: "\($0.number)") }
    let own = try await error(#"{"reason": "Too hot", "number": 9}"#, reader: reader)
    #expect(own.serverMessage == ServerMessage("Too hot", code: "9"))
    #expect(try own.serverError(as: Legacy.self).number == 9)
    #expect(try await error(#"{"message": "Hm"}"#, reader: reader).serverMessage?.text == "Hm")
    #expect(throws: APIError.noData) { try APIError.notFound.serverError(as: Legacy.self) }
  }

  @Test func `a hostile message is made safe to show, and bounded`() async throws {
    let long = String(repeating: "x", count: 10_000)
    let text = try #require(try await error(#"{"message": "\u001b[2Jevil\u202e\u0007 \#(long)"}"#).serverMessage).text
    #expect(text.hasPrefix("[2Jevil xxx"))
    #expect(text.unicodeScalars.count <= 500)
  }

  @Test func `an error keeps a bounded part of the body`() async throws {
    let error = try await error(String(repeating: "x", count: 1_000_000), type: "text/plain")
    #expect(error.response?.body.count == APIError.FailedResponse.maximumBodySize)
  }
}
