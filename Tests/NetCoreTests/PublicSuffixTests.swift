import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct PublicSuffixTests {
  private typealias Row = CookieRow<String, Bool>

  private static let list = PublicSuffixes(
    list: """
      // ===BEGIN ICANN DOMAINS===

      com
      uk
      co.uk   trailing words are not read
      *.ck
      !www.ck
      *.compute.example.com
      公司.cn
      bücher.example\r
       indented.example
      *
      !
      *.
      a..b
      """)

  private static let listed = [
    Row("com", true),
    Row("example.com", false),
    Row("co.uk", true),
    Row("example.co.uk", false),
    Row("unlisted", true),
    Row("example.unlisted", false),
    Row("ck", true),
    Row("any.ck", true),
    Row("www.ck", false),
    Row("a.any.ck", false),
    Row("compute.example.com", false),
    Row("eu.compute.example.com", true),
    Row("a.eu.compute.example.com", false),
    Row("xn--55qx5d.cn", true),
    Row("xn--bcher-kva.example", true),
    Row("indented.example", false),
    Row("a..b", false),
  ]

  @Test(arguments: listed) private func `a list's rules, wildcards and exceptions are understood`(row: Row) {
    #expect(Self.list.contains(row.input) == row.output)
  }

  private static let known = [
    Row("com", true), Row("localhost", true), Row("example.com", false), Row("co.uk", true), Row("com.au", true),
    Row("co.jp", true), Row("example.co.jp", false), Row("github.io", true), Row("me.github.io", false),
    Row("appspot.com", true), Row("s3.amazonaws.com", true), Row("amazonaws.com", false), Row("bbc.uk", false),
    Row("127.0.0.1", false),
  ]

  @Test(arguments: known) private func `the most common are known without a list`(row: Row) {
    #expect(PublicSuffixes.builtIn.contains(row.input) == row.output)
  }

  @Test func `a closure decides about two labels and more`() {
    let suffixes = PublicSuffixes { domain in
      #expect(domain != "com")
      return domain == "shared.example"
    }
    #expect(suffixes.contains("com"))
    #expect(suffixes.contains("shared.example"))
    #expect(!suffixes.contains("mine.example"))
  }

  /// RFC 3492, section 7.1, and others.
  private static let labels = [
    CookieRow<String, String?>("plain", "plain"),
    CookieRow("bücher", "xn--bcher-kva"),
    CookieRow("ü", "xn--tda"),
    CookieRow("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
    CookieRow("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    CookieRow("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
    CookieRow("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
    CookieRow("-> $1.00 <-é", "xn---> $1.00 <--lbb"),
    CookieRow(String(repeating: "é", count: 60), nil),
    CookieRow(String(repeating: "é", count: 10_000), nil),
  ]

  @Test(arguments: labels) private func `labels beyond ASCII are written as the wire has them`(
    row: CookieRow<String, String?>
  ) {
    #expect(Punycode.asciiLabel(row.input) == row.output)
  }
}
