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
}
