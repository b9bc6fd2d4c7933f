import Foundation
import NetCore
import Testing

@testable import NetCache

@Suite struct CacheKeyTests {
  @Test(arguments: [
    ("https://a.example/x", "https://a.example/x"), ("HTTPS://A.Example/X", "https://a.example/X"),
    ("https://a.example", "https://a.example/"), ("https://a.example?q", "https://a.example/?q"),
    ("https://a.example/x#part", "https://a.example/x"), ("https://a.example#part", "https://a.example/"),
    ("https://a.example/x?a#b", "https://a.example/x?a"), ("https://a.example:443/x", "https://a.example/x"),
    ("http://a.example:80", "http://a.example/"), ("http://a.example:443/x", "http://a.example:443/x"),
    ("https://a.example:80/x", "https://a.example:80/x"), ("https://a.example:8443/x", "https://a.example:8443/x"),
    ("https://[::1]:443/x", "https://[::1]/x"), ("https://[::1]/x", "https://[::1]/x"),
    ("https://a.example/x?", "https://a.example/x?"), ("https://a.example/%2F", "https://a.example/%2F"),
    ("https://a.example/a:b@C", "https://a.example/a:b@C"),
    ("https://a.example/?u=http://B:80", "https://a.example/?u=http://B:80"),
  ])
  func `RFC 9110, section 4.2.3: URLs that mean the same have one text`(url: String, text: String) throws {
    #expect(CacheKey.text(of: try #require(URL(string: url))) == text)
  }

  @Test func `credentials make partitions, and their secrets are not in the key`() throws {
    let url = try #require(URL(string: "https://a.example/x"))
    let request = HTTPRequest(url: url)
    let keys = [
      CacheKey(for: request, authorization: nil, scope: nil),
      CacheKey(for: request, authorization: nil, scope: CredentialScope("ann")),
      CacheKey(for: request, authorization: nil, scope: CredentialScope("ben")),
      CacheKey(for: request, authorization: "Bearer secret", scope: nil),
      CacheKey(for: request, authorization: "Bearer other", scope: CredentialScope("ann")),
    ]
    #expect(Set(keys).count == 5)
    #expect(Set(keys.map(\.url)).count == 1)
    #expect(!keys.contains { $0.partition.contains("secret") })
  }

  @Test func `a fingerprint is the SHA-256 in hexadecimal digits`() {
    #expect(fingerprint(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

/// RFC 9111, section 4.1: which requests a stored variant answers.
@Suite struct VariantTests {
  @Test(
    arguments: [
      ("none", [], [.accept: "a"], [.accept: "b"], true),
      ("equal", [.accept], [.accept: "a"], [.accept: "a"], true),
      ("different", [.accept], [.accept: "a"], [.accept: "b"], false),
      ("both missing", [.accept], [:], [:], true),
      ("missing and there", [.accept], [:], [.accept: "a"], false),
      ("missing and empty", ["x-a"], [:], ["x-a": ""], false),
      ("white space", [.accept], [.accept: "a,b"], [.accept: " a ,\t b"], true),
      ("split over fields", [.accept], [.accept: "a, b"], [.accept: "a", .accept: "b"], true),
      ("order of unknown", ["x-a"], ["x-a": "a, b"], ["x-a": "b, a"], false),
      ("case of unknown", ["x-a"], ["x-a": "A"], ["x-a": "a"], false),
      ("order of codings", [.acceptEncoding], [.acceptEncoding: "gzip, br"], [.acceptEncoding: "br,GZIP"], true),
      ("case of languages", [.acceptLanguage], [.acceptLanguage: "de-DE"], [.acceptLanguage: "DE-de"], true),
      ("order of languages", [.acceptLanguage], [.acceptLanguage: "de, en"], [.acceptLanguage: "en, de"], false),
      ("quoted comma", ["x-a"], ["x-a": "\"a,b\""], ["x-a": "\"a, b\""], false),
      ("two names", [.accept, "x-a"], [.accept: "a", "x-a": "1"], [.accept: "a", "x-a": "2"], false),
      ("names in any order", ["x-a", .accept], [.accept: "a", "x-a": "1"], ["X-A": "1", .accept: "a"], true),
      ("values do not flow together", ["x-a", "x-b"], ["x-a": "1", "x-b": "2"], ["x-a": "1,2", "x-b": ""], false),
      ("other fields", [.accept], [.accept: "a", "x-a": "1"], [.accept: "a", "x-a": "2"], true),
      ("credentials", [.cookie], [.cookie: "a=1"], [.cookie: "a=2"], false),
    ] as [(String, [HTTPField.Name], HTTPFields, HTTPFields, Bool)])
  func `the fields that Vary names decide`(
    name: String, names: [HTTPField.Name], one: HTTPFields, other: HTTPFields, isSame: Bool
  ) {
    #expect((VariantDigest.make(of: names, in: one) == VariantDigest.make(of: names, in: other)) == isSame)
  }

  @Test(arguments: [("a=1,,2", "a=1,2"), ("a=1", "a=1,"), ("a=x, y", "a=x,y"), ("a=1; b=2", "a=1;  b=2")])
  func `cookies that differ make variants, however little`(one: String, other: String) {
    let digests = [one, other].map { VariantDigest.make(of: [.cookie], in: [.cookie: $0]) }
    #expect(digests[0] != digests[1])
  }

  @Test func `a digest shows no value`() {
    let digest = VariantDigest.make(of: [.cookie], in: [.cookie: "session=secret"])
    #expect(digest.utf8.count == 64)
    #expect(!digest.contains("secret"))
  }
}
