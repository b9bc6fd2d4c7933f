import NetTesting
import NetURLSession
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
  @Test(arguments: TransportConformance.cases(excluding: exclusions))
  func `URLSessionTransport conforms`(_ testCase: TransportConformance.Case) async throws {
    try await testCase.run(URLSessionTransport())
  }

  typealias Exclusions = [TransportConformance.Case: TransportConformance.Exclusion]

  static let exclusions = everywhere.merging(here) { $1 }

  /// What URLSession does not do on any platform.
  private static let everywhere: Exclusions = [
    .echoOfStream: streams,
    .echoOfUnendingStream: streams,
    .interleavedEcho: streams,
    .slowServer: streams,
    .wrongLength: streams,
    .trailers: "URLSession delivers no trailer fields",
    .noContentTypeAdded: "URLSession adds application/x-www-form-urlencoded to a POST",
    .repeatedRequestFields: "URLRequest joins fields of the same name",
    .repeatedResponseFields: "HTTPURLResponse joins fields of the same name",
    .fieldOrder: "URLRequest and HTTPURLResponse keep fields in a dictionary",
    .latin1RequestFields: "URLRequest takes text for values; another encoding than UTF-8 is refused",
  ]

  private static let streams: TransportConformance.Exclusion =
    "URLSession sends streams by way of a blocking InputStream; they are refused"

  #if canImport(Darwin)
  // Not run by this project's CI, which runs on Linux.
  private static let here: Exclusions = [:]
  #else
  /// What it does not do on Linux (swift-corelibs-foundation 6.3).
  private static let here: Exclusions = [
    .trailers: .notRun("a trailer field ends the process"),
    .closeInHead: .notRun("a head cut short ends the process"),
    .missingReasonPhrase: "a status line that ends with its code fails the response",
    .latin1ResponseFields: "a value that is not UTF-8 fails the response",
    .fieldsWithoutSpace: "a colon without a space after it fails the response",
    .cookiesKept: "set-cookie in lower case replaces an earlier Set-Cookie",
    .conflictingLengths: "libcurl takes the last Content-Length for the right one",
    .truncatedGzip: "libcurl takes gzip that ends early for a success",
    .postSentOnce: "libcurl repeats a POST when its kept connection dies; one with content then never ends",
    .slowReader: .notRun("nothing holds a fast server back, and it starves all other sessions of the process"),
    .ipv6: "an IPv6 address in a URL is not accepted",
  ]
  #endif
}
