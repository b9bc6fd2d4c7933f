/// The domains under which anybody can get a name, such as `com` and `co.uk`: no cookie may be set for all of them, since
/// strangers would share it (RFC 6265bis, section 5.7, step 9).
///
/// ``builtIn`` knows the most common. The whole list, which changes every few days, is at publicsuffix.org:
///
///     let jar = CookieJar(publicSuffixes: PublicSuffixes(list: try String(contentsOf: listFile, encoding: .utf8)))
public struct PublicSuffixes: Sendable {
  private let isListed: @Sendable (String) -> Bool

  /// What `isPublicSuffix` says; it gets domains of two labels and more, in lower case and with IDNs as `xn--`. A single
  /// label, such as `com`, always is a public suffix.
  public init(_ isPublicSuffix: @escaping @Sendable (String) -> Bool) {
    isListed = isPublicSuffix
  }

  /// The rules of a list in the format of publicsuffix.org: one a line up to the first white space, `*` for a label, `!`
  /// before an exception, `//` before a comment.
  ///
  /// A `*` is understood where that list has it, as the first label. Lines that make no rule are skipped.
  public init(list: String) {
    let rules = PublicSuffixRules(list: list)
    self.init { rules.contains($0) }
  }

  /// Whether `domain` is a public suffix: not whether it ends with one.
  public func contains(_ domain: String) -> Bool {
    !domain.utf8.contains(UInt8(ascii: ".")) || isListed(domain)
  }

  /// Single labels; `ac`, `co`, `com`, `edu`, `gov`, `net` and `org` below a country; and the domains of some large
  /// providers of hosting, whose customers have a name each.
  public static let builtIn = PublicSuffixes { domain in
    if hostingDomains.contains(domain) { return true }
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count == 2 && labels[1].utf8.count == 2 && registryLabels.contains(labels[0])
  }

  private static let registryLabels: Set<Substring> = ["ac", "co", "com", "edu", "gov", "net", "org"]

  private static let hostingDomains: Set<String> = [
    "a.run.app", "amplifyapp.com", "appspot.com", "azurewebsites.net", "blogspot.com", "cloudfront.net", "deno.dev",
    "elasticbeanstalk.com", "firebaseapp.com", "fly.dev", "github.io", "gitlab.io", "herokuapp.com", "myshopify.com",
    "netlify.app", "ngrok.app", "ngrok.io", "onrender.com", "pages.dev", "s3.amazonaws.com", "trycloudflare.com",
    "up.railway.app", "vercel.app", "web.app", "workers.dev",
  ]
}

/// A parsed list.
private struct PublicSuffixRules {
  private var names: Set<String> = []
  /// What stands below `*.`.
  private var wildcards: Set<String> = []
  private var exceptions: Set<String> = []

  init(list: String) {
    for line in list.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      let rule = Substring(line).prefix { !$0.isWhitespace }
      if !rule.isEmpty, !rule.hasPrefix("//") { add(rule) }
    }
  }

  private mutating func add(_ rule: Substring) {
    if rule.hasPrefix("!") {
      if let name = Self.name(rule.dropFirst()) { exceptions.insert(name) }
    } else if rule.hasPrefix("*.") {
      if let name = Self.name(rule.dropFirst(2)) { wildcards.insert(name) }
    } else if let name = Self.name(rule) {
      names.insert(name)
    }
  }

  /// A rule's name in lower case with `xn--` labels; `nil` for what is no name.
  private static func name(_ text: Substring) -> String? {
    let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(Punycode.asciiLabel)
    let name = labels.compactMap(\.self).joined(separator: ".")
    return labels.contains(nil) || !CookieDomain.isValid(name) ? nil : name
  }

  /// An exception goes before a wildcard, and is a name that somebody owns.
  func contains(_ domain: String) -> Bool {
    if exceptions.contains(domain) { return false }
    if names.contains(domain) { return true }
    guard let dot = domain.firstIndex(of: ".") else { return false }
    return wildcards.contains(String(domain[domain.index(after: dot)...]))
  }
}
