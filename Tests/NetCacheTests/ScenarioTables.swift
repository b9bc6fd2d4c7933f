import Foundation
import NetCore

// Sections are those of RFC 9111, unless another RFC stands before them.
extension Scenario {
  static let freshness: [Scenario] = [
    Scenario("4.2", "max-age, within", [.cacheControl: "max-age=60"], after: 59, .hit),
    Scenario("4.2", "max-age, at its end", [.cacheControl: "max-age=60"], after: 60, .miss),
    Scenario("4.2", "max-age=0", [.cacheControl: "max-age=0"], after: 0, .miss),
    Scenario("4.2", "Expires, within", [.expires: date(60)], after: 59, .hit),
    Scenario("4.2", "Expires, at its end", [.expires: date(60)], after: 60, .miss),
    Scenario("5.3", "Expires is counted from Date", [.expires: date(-40), .date: date(-100)], after: 0, .miss),
    Scenario("4.2.3", "an old Date makes old", [.cacheControl: "max-age=60", .date: date(-50)], after: 10, .miss),
    Scenario("4.2.3", "an old Date, still fresh", [.cacheControl: "max-age=60", .date: date(-50)], after: 9, .hit),
    Scenario("4.2.3", "a Date to come is now", [.cacheControl: "max-age=60", .date: date(1000)], after: 59, .hit),
    Scenario("4.2.3", "a Date to come, over", [.cacheControl: "max-age=60", .date: date(1000)], after: 60, .miss),
    Scenario("4.2.3", "Age counts", [.cacheControl: "max-age=60", .age: "30"], after: 29, .hit),
    Scenario("4.2.3", "Age counts, at the end", [.cacheControl: "max-age=60", .age: "30"], after: 30, .miss),
    Scenario(
      "4.2.3", "the greater of Age and Date", [.cacheControl: "max-age=60", .age: "5", .date: date(-50)], after: 10,
      .miss),
    Scenario("5.1", "Age over all", [.cacheControl: "max-age=60", .age: "60"], after: 0, .miss),
    Scenario("5.1", "Age beyond 2^31", [.cacheControl: "max-age=60", .age: "9999999999999"], after: 0, .miss),
    Scenario("5.1", "a malformed Age is none", [.cacheControl: "max-age=60", .age: "1h"], after: 59, .hit),
    Scenario("5.1", "the first Age", [.cacheControl: "max-age=60", .age: "0, 60"], after: 59, .hit),
    Scenario("5.1", "Age makes Expires old", [.expires: date(60), .age: "60"], after: 0, .miss),
    Scenario("5.3", "max-age before Expires", [.cacheControl: "max-age=60", .expires: date(-1)], after: 59, .hit),
    Scenario(
      "5.3", "max-age before a later Expires", [.cacheControl: "max-age=60", .expires: date(900)], after: 60, .miss),
    Scenario(
      "4.2.1", "an invalid max-age before Expires", [.cacheControl: "max-age=x", .expires: date(900)], after: 1, .miss),
    Scenario("4.2.1", "two that differ", [.cacheControl: "max-age=60, max-age=1"], after: 30, .miss),
    Scenario("4.2.1", "two that agree", [.cacheControl: "max-age=60", .cacheControl: "max-age=60"], after: 30, .hit),
    Scenario("5.2", "quoted", [.cacheControl: "max-age=\"60\""], after: 30, .hit),
    Scenario("5.2", "in upper case", [.cacheControl: "MAX-AGE=60"], after: 30, .hit),
    Scenario("5.2.2.10", "s-maxage is for shared caches", [.cacheControl: "s-maxage=60"], after: 1, .miss),
    Scenario("5.2.2.10", "s-maxage shortens nothing", [.cacheControl: "max-age=60, s-maxage=1"], after: 30, .hit),
    Scenario("5.2.2.10", "s-maxage lengthens nothing", [.cacheControl: "max-age=1, s-maxage=60"], after: 30, .miss),
    Scenario("5.2.2.9", "public says nothing of time", [.cacheControl: "public"], after: 1, .miss),
    Scenario("5.2.3", "unknown directives", [.cacheControl: "max-age=60, x, y=z, w=\"v, no-store\""], after: 30, .hit),
    Scenario("5.2.3", "no-store within a value", [.cacheControl: "x=\"no-store\", max-age=60"], after: 30, .hit),
    Scenario("5.4", "Pragma in a response", [.cacheControl: "max-age=60", "Pragma": "no-cache"], after: 30, .hit),
    Scenario("4.2.2", "nothing says anything", [:], after: 0, .miss),
    Scenario("4.2.1", "a large max-age", [.cacheControl: "max-age=99999999999"], after: 2_000_000_000, .hit),
    Scenario("4.2.1", "no greater than 2^31", [.cacheControl: "max-age=99999999999"], after: 2_147_483_649, .miss),
    Scenario("8246/2", "immutable is no lifetime", [.cacheControl: "max-age=60, immutable"], after: 60, .miss),
  ]

  static let heuristics: [Scenario] =
    [
      Scenario("4.2.2", "a tenth", [.lastModified: date(-1000)], after: 99, .hit),
      Scenario("4.2.2", "a tenth, at its end", [.lastModified: date(-1000)], after: 100, .confirmed),
      Scenario("4.2.2", "counted to Date", [.lastModified: date(-1100), .date: date(-100)], after: 0, .confirmed),
      Scenario("4.2.2", "at most a week", [.lastModified: date(-1_000_000_000)], after: 604_799, .hit),
      Scenario("4.2.2", "a week over", [.lastModified: date(-1_000_000_000)], after: 604_800, .confirmed),
      Scenario("4.2.2", "modified in the future", [.lastModified: date(1000)], after: 1, .confirmed),
      Scenario(
        "4.2.2", "not beside max-age", [.lastModified: date(-1000), .cacheControl: "max-age=5"], after: 6, .confirmed),
      Scenario("4.2.2", "not beside Expires", [.lastModified: date(-1000), .expires: date(5)], after: 6, .confirmed),
      Scenario(
        "4.2.2", "not beside an invalid Expires", [.lastModified: date(-1000), .expires: "0"], after: 6, .confirmed),
      Scenario(
        "4.2.2", "not beside an invalid max-age", [.lastModified: date(-1000), .cacheControl: "max-age=x"], after: 6,
        .confirmed),
      Scenario("4.2.2", "beside s-maxage", [.lastModified: date(-1000), .cacheControl: "s-maxage=5"], after: 6, .hit),
      Scenario("4.2.2", "not of an invalid date", [.lastModified: "yesterday"], after: 1, .confirmed),
      Scenario(
        "4.2.2", "no-cache all the same", [.lastModified: date(-1000), .cacheControl: "no-cache"], after: 1, .confirmed),
      Scenario("4.2.2", "status 201", [.lastModified: date(-1000)], status: 201, after: 1, .miss),
      Scenario(
        "4.2.2", "status 201 and public", [.lastModified: date(-1000), .cacheControl: "public"], status: 201, after: 1,
        .hit),
      Scenario("4.2.2", "status 302", [.lastModified: date(-1000)], status: 302, after: 1, .miss),
      Scenario("4.2.2", "status 403", [.lastModified: date(-1000)], status: 403, after: 1, .miss),
      Scenario("4.2.2", "status 500", [.lastModified: date(-1000)], status: 500, after: 1, .miss),
      Scenario("4.2.2", "status 599", [.lastModified: date(-1000)], status: 599, after: 1, .miss),
    ]
    + [203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map { code in
      Scenario("9110/15.1", "status \(code)", [.lastModified: date(-1000)], status: .init(code: code)!, after: 99, .hit)
    }

  static let storing: [Scenario] = [
    Scenario("5.2.2.5", "no-store", [.cacheControl: "max-age=60, no-store"], .miss),
    Scenario("5.2.2.5", "No-Store", [.cacheControl: "No-Store, max-age=60"], .miss),
    Scenario("5.2.2.5", "no-store in another field", [.cacheControl: "max-age=60", .cacheControl: "no-store"], .miss),
    Scenario("5.2.2.5", "no-store with an argument", [.cacheControl: "max-age=60, no-store=x"], .miss),
    Scenario(
      "5.2.2.3", "must-understand over no-store", [.cacheControl: "max-age=60, no-store, must-understand"], .hit),
    Scenario(
      "5.2.2.3", "must-understand of an unknown status", [.cacheControl: "max-age=60, must-understand"], status: 299,
      .miss),
    Scenario("5.2.2.3", "must-understand alone", [.cacheControl: "max-age=60, must-understand"], .hit),
    Scenario("5.2.2.7", "private", [.cacheControl: "private, max-age=60"], .hit),
    Scenario("5.2.2.7", "private with names", [.cacheControl: "private=\"X-A\", max-age=60"], .hit),
    Scenario("5.2.2.9", "public", [.cacheControl: "public, max-age=60"], .hit),
    Scenario(
      "5.2.1.5", "no-store in the request", [.cacheControl: "max-age=60"], first: [.cacheControl: "no-store"],
      second: [:], .miss),
    Scenario("3.5", "Authorization", [.cacheControl: "max-age=60"], first: [.authorization: "Bearer a"], .hit),
    Scenario(
      "3.5", "another Authorization", [.cacheControl: "max-age=60"], first: [.authorization: "Bearer a"],
      second: [.authorization: "Bearer b"], .miss),
    Scenario(
      "3.5", "with and without Authorization", [.cacheControl: "max-age=60"], first: [.authorization: "Bearer a"],
      second: [:], .miss),
    Scenario(
      "3.5", "without and with Authorization", [.cacheControl: "max-age=60"], second: [.authorization: "Bearer a"],
      .miss),
    Scenario("7.3", "Set-Cookie", [.cacheControl: "max-age=60", .setCookie: "a=1"], .hit),
    Scenario("3.3", "a part", [.cacheControl: "max-age=60", .contentRange: "bytes 0-2/9"], status: 206, .miss),
    Scenario(
      "3.3", "a part that was asked for", [.cacheControl: "max-age=60", .contentRange: "bytes 0-2/9"], status: 206,
      first: [.range: "bytes=0-2"], second: [:], .miss),
    Scenario(
      "3.3", "the whole, though a part was asked for", [.cacheControl: "max-age=60"], first: [.range: "bytes=0-1"],
      second: [:], .hit),
    Scenario("3.3", "416", [.cacheControl: "max-age=60"], status: 416, first: [.range: "bytes=9-"], second: [:], .miss),
    Scenario("4.1", "Vary: *", [.cacheControl: "max-age=60", .vary: "*"], .miss),
    Scenario("3", "ETag alone", [.eTag: "\"a\""], .confirmed),
    Scenario("3", "nothing, asked for when offline", [:], server: .error(.offline), .stale(.disconnected)),
    Scenario(
      "9110/9.3.1", "request fields that change nothing", [.cacheControl: "max-age=60"], first: ["X-A": "1"],
      second: ["X-A": "2"], .hit),
  ]

  static let statuses: [Scenario] =
    [
      200, 201, 202, 203, 204, 205, 299, 300, 301, 302, 303, 305, 307, 308, 399, 400, 402, 403, 404, 405,
      408, 410, 414, 418, 429, 451, 499, 500, 501, 502, 503, 504, 599, 600, 999,
    ].map { code in
      Scenario("3", "max-age, status \(code)", [.cacheControl: "max-age=60"], status: .init(code: code)!, .hit)
    }
    + [201, 202, 302, 303, 307, 400, 403, 418, 429, 500, 502, 503, 504].flatMap { code -> [Scenario] in
      let status = HTTPResponse.Status(code: code)!
      return [
        Scenario("3", "nothing, status \(code)", [:], status: status, mode: .onlyIfCached, .unavailable),
        Scenario("3", "Expires, status \(code)", [.expires: date(60)], status: status, .hit),
        Scenario(
          "3", "private, status \(code)", [.cacheControl: "private"], status: status, mode: .onlyIfCached,
          .stale(.requested)),
      ]
    }
    + [206, 304, 401, 407].map { code in
      Scenario("3", "never status \(code)", [.cacheControl: "max-age=60"], status: .init(code: code)!, .miss)
    }

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
