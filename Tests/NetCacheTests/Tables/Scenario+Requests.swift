import Foundation
import NetCore

// Sections are those of RFC 9111, unless another RFC stands before them.
extension Scenario {
  static let requests: [Scenario] = [
    Scenario(
      "5.2.1.1", "max-age, younger", [.cacheControl: "max-age=60"], after: 5, second: [.cacheControl: "max-age=5"], .hit
    ),
    Scenario(
      "5.2.1.1", "max-age, older", [.cacheControl: "max-age=60"], after: 6, second: [.cacheControl: "max-age=5"], .miss),
    Scenario(
      "5.2.1.1", "max-age=0", [.cacheControl: "max-age=60", .eTag: "\"a\""], after: 6,
      second: [.cacheControl: "max-age=0"], .confirmed),
    Scenario(
      "5.2.1.1", "max-age makes nothing fresh", [.cacheControl: "max-age=5"], after: 6,
      second: [.cacheControl: "max-age=60"], .miss),
    Scenario(
      "5.2.1.1", "a malformed max-age accepts nothing", [.cacheControl: "max-age=60"], after: 1,
      second: [.cacheControl: "max-age=x"], .miss),
    Scenario(
      "5.2.1.1", "Age counts", [.cacheControl: "max-age=60", .age: "30"], after: 1,
      second: [.cacheControl: "max-age=30"], .miss),
    Scenario(
      "5.2.1.2", "max-stale", [.cacheControl: "max-age=60"], after: 900, second: [.cacheControl: "max-stale"],
      .stale(.requested)),
    Scenario(
      "5.2.1.2", "max-stale, within", [.cacheControl: "max-age=60"], after: 70, second: [.cacheControl: "max-stale=10"],
      .stale(.requested)),
    Scenario(
      "5.2.1.2", "max-stale, over", [.cacheControl: "max-age=60"], after: 71, second: [.cacheControl: "max-stale=10"],
      .miss),
    Scenario(
      "5.2.1.2", "max-stale of the fresh", [.cacheControl: "max-age=60"], after: 30,
      second: [.cacheControl: "max-stale=10"], .hit),
    Scenario(
      "5.2.1.2", "a malformed max-stale", [.cacheControl: "max-age=60"], after: 61,
      second: [.cacheControl: "max-stale=x"], .miss),
    Scenario(
      "5.2.1.2", "max-stale and must-revalidate", [.cacheControl: "max-age=60, must-revalidate"], after: 61,
      second: [.cacheControl: "max-stale"], .miss),
    Scenario(
      "5.2.1.2", "max-stale and no-cache", [.cacheControl: "max-age=60, no-cache"], after: 1,
      second: [.cacheControl: "max-stale"], .miss),
    Scenario(
      "5.2.1.2", "max-stale and proxy-revalidate", [.cacheControl: "max-age=60, proxy-revalidate"], after: 61,
      second: [.cacheControl: "max-stale"], .stale(.requested)),
    Scenario(
      "5.2.1.2", "max-age with max-stale, within", [.cacheControl: "max-age=60"], after: 14,
      second: [.cacheControl: "max-age=5, max-stale=10"], .stale(.requested)),
    Scenario(
      "5.2.1.2", "max-age with max-stale, over", [.cacheControl: "max-age=60"], after: 16,
      second: [.cacheControl: "max-age=5, max-stale=10"], .miss),
    Scenario(
      "5.2.1.3", "min-fresh, enough", [.cacheControl: "max-age=60"], after: 50, second: [.cacheControl: "min-fresh=10"],
      .hit),
    Scenario(
      "5.2.1.3", "min-fresh, not enough", [.cacheControl: "max-age=60"], after: 51,
      second: [.cacheControl: "min-fresh=10"], .miss),
    Scenario(
      "5.2.1.3", "a malformed min-fresh", [.cacheControl: "max-age=60"], after: 1,
      second: [.cacheControl: "min-fresh=x"], .miss),
    Scenario(
      "5.2.1.3", "min-fresh with max-stale", [.cacheControl: "max-age=60"], after: 51,
      second: [.cacheControl: "min-fresh=10, max-stale=60"], .miss),
    Scenario("5.2.1.4", "no-cache", [.cacheControl: "max-age=60"], second: [.cacheControl: "no-cache"], .miss),
    Scenario(
      "5.2.1.4", "no-cache, with a tag", [.cacheControl: "max-age=60", .eTag: "\"a\""],
      second: [.cacheControl: "no-cache"], .confirmed),
    Scenario("5.2.1.5", "no-store", [.cacheControl: "max-age=60"], second: [.cacheControl: "no-store"], .miss),
    Scenario(
      "5.2.1.7", "only-if-cached, fresh", [.cacheControl: "max-age=60"], second: [.cacheControl: "only-if-cached"], .hit
    ),
    Scenario(
      "5.2.1.7", "only-if-cached, stale", [.cacheControl: "max-age=60"], after: 61,
      second: [.cacheControl: "only-if-cached"], .unavailable),
    Scenario(
      "5.2.1.7", "only-if-cached, nothing stored", [.cacheControl: "no-store"],
      second: [.cacheControl: "only-if-cached"], .unavailable),
    Scenario(
      "5.2.1.7", "only-if-cached with max-stale", [.cacheControl: "max-age=60"], after: 61,
      second: [.cacheControl: "only-if-cached, max-stale=5"], .stale(.requested)),
    Scenario(
      "5.2.1.7", "only-if-cached with no-cache", [.cacheControl: "max-age=60"],
      second: [.cacheControl: "only-if-cached, no-cache"], .unavailable),
    Scenario("5.4", "Pragma: no-cache alone", [.cacheControl: "max-age=60"], second: ["Pragma": "no-cache"], .miss),
    Scenario(
      "5.4", "Pragma beside Cache-Control", [.cacheControl: "max-age=60"],
      second: ["Pragma": "no-cache", .cacheControl: "max-age=60"], .hit),
    Scenario("5.4", "another Pragma", [.cacheControl: "max-age=60"], second: ["Pragma": "no-store"], .hit),
    Scenario(
      "5.2.1", "unknown directives", [.cacheControl: "max-age=60"], second: [.cacheControl: "no-transform, x=y"], .hit),
    Scenario(
      "5.2.1", "directives in upper case", [.cacheControl: "max-age=60"], second: [.cacheControl: "NO-CACHE"], .miss),
    Scenario(
      "9110/13.1.1", "If-Match", [.cacheControl: "max-age=60", .eTag: "\"a\""], second: [.ifMatch: "\"a\""], .miss),
    Scenario(
      "9110/13.1.4", "If-Unmodified-Since", [.cacheControl: "max-age=60"], second: ["If-Unmodified-Since": date(0)],
      .miss),
    Scenario(
      "4.3.2", "a condition, by who waits for a value", [.cacheControl: "max-age=60", .eTag: "\"a\""],
      second: [.ifNoneMatch: "\"a\""], .hit),
    Scenario(
      "4.3.1", "another's condition gives way", [.cacheControl: "max-age=1", .eTag: "\"a\""], after: 2,
      second: [.ifNoneMatch: "\"z\""], .confirmed),
  ]

  static let modes: [Scenario] = [
    Scenario("4", "standard", [.cacheControl: "max-age=60"], mode: .standard, .hit),
    Scenario("5.2.1.4", "noCache", [.cacheControl: "max-age=60", .eTag: "\"a\""], mode: .noCache, .confirmed),
    Scenario("5.2.1.4", "noCache without a tag", [.cacheControl: "max-age=60"], mode: .noCache, .miss),
    Scenario(
      "8246/2", "noCache spares the immutable", [.cacheControl: "max-age=60, immutable", .eTag: "\"a\""],
      mode: .noCache, .hit),
    Scenario(
      "8246/2", "noCache, no longer fresh", [.cacheControl: "max-age=60, immutable", .eTag: "\"a\""], after: 60,
      mode: .noCache, .confirmed),
    Scenario(
      "8246/2", "immutable with an argument", [.cacheControl: "max-age=60, immutable=x", .eTag: "\"a\""],
      mode: .noCache, .hit),
    Scenario(
      "8246/2", "a caller's own no-cache", [.cacheControl: "max-age=60, immutable", .eTag: "\"a\""],
      second: [.cacheControl: "no-cache"], .confirmed),
    Scenario(
      "8246/2", "immutable and no-cache", [.cacheControl: "max-age=60, immutable, no-cache", .eTag: "\"a\""],
      mode: .noCache, .confirmed),
    Scenario(
      "8246/2", "reload spares nothing", [.cacheControl: "max-age=60, immutable", .eTag: "\"a\""], mode: .reload, .miss),
    Scenario("5.2.1.4", "reload", [.cacheControl: "max-age=60", .eTag: "\"a\""], mode: .reload, .miss),
    Scenario("5.2.1.2", "forceCache, fresh", [.cacheControl: "max-age=60"], mode: .forceCache, .hit),
    Scenario(
      "5.2.1.2", "forceCache, stale", [.cacheControl: "max-age=60"], after: 9_999, mode: .forceCache, .stale(.requested)
    ),
    Scenario(
      "5.2.2.2", "forceCache and must-revalidate", [.cacheControl: "max-age=60, must-revalidate"], after: 61,
      mode: .forceCache, .miss),
    Scenario("5.2.2.4", "forceCache and no-cache", [.cacheControl: "no-cache"], mode: .forceCache, .miss),
    Scenario("5.2.1.2", "forceCache, nothing stored", [.cacheControl: "no-store"], mode: .forceCache, .miss),
    Scenario("5.2.1.7", "onlyIfCached, fresh", [.cacheControl: "max-age=60"], mode: .onlyIfCached, .hit),
    Scenario(
      "5.2.1.7", "onlyIfCached, stale", [.cacheControl: "max-age=60"], after: 61, mode: .onlyIfCached,
      .stale(.requested)),
    Scenario(
      "5.2.1.7", "onlyIfCached, must-revalidate", [.cacheControl: "max-age=60, must-revalidate"], after: 61,
      mode: .onlyIfCached, .unavailable),
    Scenario("5.2.1.7", "onlyIfCached, nothing stored", [.cacheControl: "no-store"], mode: .onlyIfCached, .unavailable),
    Scenario(
      "5861/3", "onlyIfCached asks nobody", [.cacheControl: "max-age=1, stale-while-revalidate=60"], after: 5,
      mode: .onlyIfCached, .stale(.requested)),
    Scenario("5.2.1.5", "noStore", [.cacheControl: "max-age=60"], mode: .noStore, .miss),
  ]

  static let variants: [Scenario] = [
    Scenario("4.1", "the same", [.cacheControl: "max-age=60", .vary: "X-A"], first: ["X-A": "1"], .hit),
    Scenario(
      "4.1", "another", [.cacheControl: "max-age=60", .vary: "X-A"], first: ["X-A": "1"], second: ["X-A": "2"], .miss),
    Scenario(
      "4.1", "missing then", [.cacheControl: "max-age=60", .vary: "X-A"], first: ["X-A": "1"], second: [:], .miss),
    Scenario("4.1", "missing first", [.cacheControl: "max-age=60", .vary: "X-A"], second: ["X-A": "1"], .miss),
    Scenario("4.1", "missing twice", [.cacheControl: "max-age=60", .vary: "X-A"], .hit),
    Scenario("4.1", "a name in another case", [.cacheControl: "max-age=60", .vary: "x-A"], first: ["X-a": "1"], .hit),
    Scenario(
      "4.1", "white space", [.cacheControl: "max-age=60", .vary: "X-A"], first: ["X-A": "1,2"],
      second: ["X-A": "1 ,  2"], .hit),
    Scenario(
      "4.1", "several fields", [.cacheControl: "max-age=60", .vary: "X-A"], first: ["X-A": "1, 2"],
      second: ["X-A": "1", "X-A": "2"], .hit),
    Scenario(
      "4.1", "one of two differs", [.cacheControl: "max-age=60", .vary: "X-A, X-B"], first: ["X-A": "1", "X-B": "1"],
      second: ["X-A": "1", "X-B": "2"], .miss),
    Scenario(
      "4.1", "two Vary fields", [.cacheControl: "max-age=60", .vary: "X-A", .vary: "X-B"], first: ["X-B": "1"],
      second: ["X-B": "2"], .miss),
    Scenario(
      "4.1", "a field it does not name", [.cacheControl: "max-age=60", .vary: "X-A"], first: ["X-A": "1", "X-B": "1"],
      second: ["X-A": "1", "X-B": "2"], .hit),
    Scenario("4.1", "a star among names", [.cacheControl: "max-age=60", .vary: "X-A, *"], first: ["X-A": "1"], .miss),
    Scenario("4.1", "an empty Vary", [.cacheControl: "max-age=60", .vary: ""], second: ["X-A": "1"], .hit),
    Scenario(
      "4.1", "Cookie", [.cacheControl: "max-age=60", .vary: "Cookie"], first: [.cookie: "a=1"],
      second: [.cookie: "a=2"], .miss),
    Scenario(
      "4.1", "languages in another case", [.cacheControl: "max-age=60", .vary: "Accept-Language"],
      first: [.acceptLanguage: "de-DE, en"], second: [.acceptLanguage: "DE-de,EN"], .hit),
  ]

  static let validation: [Scenario] = [
    Scenario("4.3.1", "by a strong tag", [.cacheControl: "max-age=1", .eTag: "\"a\""], after: 2, .confirmed),
    Scenario("4.3.1", "by a weak tag", [.cacheControl: "max-age=1", .eTag: "W/\"a\""], after: 2, .confirmed),
    Scenario(
      "4.3.1", "by a tag without quotation marks", [.cacheControl: "max-age=1", .eTag: "a"], after: 2, .confirmed),
    Scenario("4.3.1", "by a date", [.cacheControl: "max-age=1", .lastModified: date(-1000)], after: 2, .confirmed),
    Scenario(
      "4.3.1", "by both", [.cacheControl: "max-age=1", .eTag: "\"a\"", .lastModified: date(-1000)], after: 2, .confirmed
    ),
    Scenario("4.3.1", "by nothing", [.cacheControl: "max-age=1"], after: 2, .miss),
    Scenario(
      "5.2.2.4", "no-cache, although fresh", [.cacheControl: "max-age=60, no-cache", .eTag: "\"a\""], .confirmed),
    Scenario(
      "5.2.2.4", "no-cache for one field", [.cacheControl: "max-age=60, no-cache=\"X-A\"", .eTag: "\"a\""], .hit),
    Scenario(
      "5.2.2.4", "no-cache for no field", [.cacheControl: "max-age=60, no-cache=\"\"", .eTag: "\"a\""], .confirmed),
    Scenario(
      "5.2.2.2", "must-revalidate, fresh", [.cacheControl: "max-age=60, must-revalidate", .eTag: "\"a\""], .hit),
    Scenario(
      "5.2.2.2", "must-revalidate, stale", [.cacheControl: "max-age=60, must-revalidate", .eTag: "\"a\""], after: 61,
      .confirmed),
    Scenario(
      "5.2.2.8", "proxy-revalidate is for shared caches",
      [.cacheControl: "max-age=60, proxy-revalidate", .eTag: "\"a\""], .hit),
    Scenario(
      "4.3.1", "a redirect", [.cacheControl: "max-age=1", .eTag: "\"a\"", .location: "/y"], status: 301, after: 2,
      .confirmed),
    Scenario("4.3.1", "a 404", [.cacheControl: "max-age=1", .eTag: "\"a\""], status: 404, after: 2, .confirmed),
  ]

  static let errors: [Scenario] =
    [500, 502, 503, 504].flatMap { code -> [Scenario] in
      let status = HTTPResponse.Status(code: code)!
      return [
        Scenario(
          "5861/4", "\(code), within", [.cacheControl: "max-age=1, stale-if-error=60"], after: 61,
          server: .status(status), .stale(.serverError)),
        Scenario(
          "5861/4", "\(code), over", [.cacheControl: "max-age=1, stale-if-error=60"], after: 62,
          server: .status(status), .miss),
        Scenario(
          "4.3.3", "\(code), not allowed", [.cacheControl: "max-age=1"], after: 2, server: .status(status), .miss),
      ]
    }
    + [501, 505, 400, 404, 429].map { code in
      Scenario(
        "5861/4", "\(code) is an answer", [.cacheControl: "max-age=1, stale-if-error=60"], after: 2,
        server: .status(.init(code: code)!), .miss)
    } + [
      Scenario(
        "5861/4", "must-revalidate", [.cacheControl: "max-age=1, stale-if-error=60, must-revalidate"], after: 2,
        server: .status(503), .miss),
      Scenario(
        "5861/4", "no-cache", [.cacheControl: "no-cache, stale-if-error=60"], after: 2, server: .status(503), .miss),
      Scenario(
        "5861/4", "by the request", [.cacheControl: "max-age=1"], after: 2,
        second: [.cacheControl: "stale-if-error=60"], server: .status(503), .stale(.serverError)),
      Scenario(
        "5861/4", "the request's before the response's", [.cacheControl: "max-age=1, stale-if-error=600"], after: 100,
        second: [.cacheControl: "stale-if-error=60"], server: .status(503), .miss),
      Scenario(
        "5861/4", "not for who wants it confirmed", [.cacheControl: "max-age=60, stale-if-error=60"],
        second: [.cacheControl: "no-cache"], server: .status(503), .miss),
      Scenario(
        "5861/4", "not for who wants it young", [.cacheControl: "max-age=60, stale-if-error=60"], after: 9,
        second: [.cacheControl: "max-age=5"], server: .status(503), .miss),
      Scenario(
        "5861/4", "a malformed stale-if-error", [.cacheControl: "max-age=1, stale-if-error=x"], after: 2,
        server: .status(503), .miss),
      Scenario(
        "5861/4", "broken off", [.cacheControl: "max-age=1, stale-if-error=60"], after: 2, server: .error(.truncated),
        .stale(.serverError)),
      Scenario(
        "5861/4", "broken off, not allowed", [.cacheControl: "max-age=1"], after: 2, server: .error(.truncated),
        .failure),
      Scenario(
        "5861/4", "offline, within", [.cacheControl: "max-age=1, stale-if-error=60"], after: 2,
        server: .error(.offline), .stale(.disconnected)),
      Scenario(
        "4.2.4", "refused", [.cacheControl: "max-age=1"], after: 2, server: .error(.connectionRefused),
        .stale(.disconnected)),
      Scenario(
        "4.2.4", "no name", [.cacheControl: "max-age=1"], after: 2, server: .error(.nameResolution),
        .stale(.disconnected)),
      Scenario(
        "4.2.4", "offline", [.cacheControl: "max-age=1"], after: 2, server: .error(.offline), .stale(.disconnected)),
      Scenario(
        "4.2.4", "lost", [.cacheControl: "max-age=1"], after: 2, server: .error(.connectionLost), .stale(.disconnected)),
      Scenario(
        "4.2.4", "late", [.cacheControl: "max-age=1"], after: 2, server: .error(.timedOut(.connect)),
        .stale(.disconnected)),
      Scenario(
        "4.2.4", "not for longer than a week", [.cacheControl: "max-age=1"], after: 604_802, server: .error(.offline),
        .failure),
      Scenario(
        "4.2.4", "a server that is not trusted", [.cacheControl: "max-age=1"], after: 2,
        server: .error(.tls(.untrusted)), .failure),
      Scenario(
        "4.2.4", "must-revalidate", [.cacheControl: "max-age=1, must-revalidate"], after: 2, server: .error(.offline),
        .failure),
      Scenario(
        "4.2.4", "must-revalidate, still fresh", [.cacheControl: "max-age=60, must-revalidate"], after: 2,
        server: .error(.offline), .hit),
      Scenario("4.2.4", "no-cache", [.cacheControl: "no-cache"], after: 2, server: .error(.offline), .failure),
      Scenario(
        "4.2.4", "proxy-revalidate", [.cacheControl: "max-age=1, proxy-revalidate"], after: 2, server: .error(.offline),
        .stale(.disconnected)),
      Scenario(
        "4.2.4", "not for who wants it confirmed", [.cacheControl: "max-age=60"], after: 2, mode: .noCache,
        server: .error(.offline), .failure),
      Scenario(
        "4.2.4", "not for who reloads", [.cacheControl: "max-age=60"], after: 2, mode: .reload,
        server: .error(.offline), .failure),
      Scenario(
        "4.2.4", "another variant", [.cacheControl: "max-age=1, stale-if-error=60", .vary: "X-A"], after: 2,
        second: ["X-A": "1"], server: .error(.offline), .failure),
    ]
}
