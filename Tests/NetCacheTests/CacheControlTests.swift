import NetCore
import Testing

@testable import NetCache

/// RFC 9111, section 5.2: how the field is read.
@Suite struct CacheControlTests {
  private typealias Flags = CacheControl.Flags

  @Test(
    arguments: [
      ("no-store", [.noStore]), ("no-cache", [.noCache]), ("NO-STORE, No-Cache", [.noStore, .noCache]),
      ("must-revalidate", [.mustRevalidate]), ("must-understand", [.mustUnderstand]), ("immutable", [.immutable]),
      ("public", [.isPublic]), ("private", [.isPrivate]), ("private=\"x-a, x-b\"", [.isPrivate]),
      ("only-if-cached", [.onlyIfCached]), ("max-stale", [.anyStale]),
      (",, ,no-store,\t,", [.noStore]), ("  no-store  ,  immutable", [.noStore, .immutable]),
      ("no-store=1", [.noStore]), ("no-store=\"a,b\", public", [.noStore, .isPublic]), ("no-store;public", [.noStore]),
      ("no-storefoo, xno-store", []), ("proxy-revalidate, s-maxage=1, no-transform", []), ("", []),
      ("x=\"no-store\"", []), ("x=\"a, no-store, b\"", []), ("x=\"a\\\", no-store\"", []),
      ("x=\"a, no-store", [.noStore]), ("x='a, no-store'", []), ("x='no-store, immutable'", []),
      ("=, no-store", [.noStore]), ("\"no-store\"", []), ("foo bar, no-store", [.noStore]),
      ("no store", []), ("no-cache=\"\"", [.noCache]), ("no-cache=\"a b,, c\"", []), ("no-cache=\"@,é\"", [.noCache]),
      ("no-cache=x-a", []), ("no-cache=", [.noCache]), ("ünknown, no-store", [.noStore]),
    ] as [(String, CacheControl.Flags)])
  func `section 5.2: directives without an argument`(value: String, flags: CacheControl.Flags) {
    #expect(CacheControl([value]).flags == flags)
  }

  @Test(
    arguments: [
      ("max-age=60", .some(60)), ("max-age=0", .some(0)), ("MAX-AGE=60", .some(60)), ("max-age=\"60\"", .some(60)),
      ("max-age=007", .some(7)), ("max-age=2147483648", .some(2_147_483_648)),
      ("max-age=99999999999999999999999999", .some(2_147_483_648)),
      ("max-age=60, max-age=60", .some(60)), ("x=1,max-age=60,y", .some(60)), ("max-age=60;x", .invalid),
      ("max-age=60, max-age=61", .invalid), ("max-age=61, max-age=60, max-age=61", .invalid),
      ("max-age", .invalid), ("max-age=", .invalid), ("max-age=\"\"", .invalid), ("max-age=-1", .invalid),
      ("max-age=+1", .invalid), ("max-age=1.0", .invalid), ("max-age=1e3", .invalid), ("max-age=0x10", .invalid),
      ("max-age=soon", .invalid), ("max-age='60'", .invalid), ("max-age = 60", .invalid), ("max-age =60", .invalid),
      ("max-age= 60", .invalid), ("max-age=60 1", .invalid), ("max-age=\"60", .invalid), ("max-age=6\"0\"", .invalid),
      ("max-age=٦", .invalid), ("max-age=60s", .invalid), ("max-age:60", .none), ("xmax-age=60", .none),
      ("max_age=60", .none), ("x=\"max-age=60\"", .none), ("x=\", max-age=60\"", .none), ("s-maxage=60", .none),
    ] as [(String, Seconds)])
  func `sections 1.2.2 and 4.2.1: a number of seconds`(value: String, maxAge: Seconds) {
    #expect(CacheControl([value]).maxAge == maxAge)
  }

  @Test func `section 5.2: directives may stand in several fields`() {
    let control = CacheControl([
      "max-age=60, stale-while-revalidate=5", "no-cache=\"X-A, x-b\", min-fresh=1", "max-stale=2",
    ])
    #expect(control.maxAge == .some(60))
    #expect(control.staleWhileRevalidate == .some(5))
    #expect(control.noCacheFields == ["x-a", "x-b"])
    #expect(control.minFresh == .some(1))
    #expect(control.maxStale == .some(2))
    #expect(control.flags == [])
  }

  @Test func `section 5.2.2.4: a list of too many names counts for the whole response`() {
    let names = (0...CacheControl.maximumNames).map { "x-\($0)" }.joined(separator: ",")
    #expect(CacheControl(["no-cache=\"\(names)\""]).flags == [.noCache])
  }

  @Test func `any text is read, in time that grows with its length`() {
    var random = SystemRandomNumberGenerator()
    let parts = ["no-store", "max-age", "=", "\"", ",", " ", "\\", "60", "a", "\t", "ü", ";", "'", "no-cache"]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in parts.randomElement()! }.joined()
      _ = CacheControl([text])
    }
    _ = CacheControl([String(repeating: "\"", count: 20_000), String(repeating: "a=\",", count: 5_000)])
  }
}

/// RFC 9111, section 5: the other fields.
@Suite struct ResponseFactsTests {
  @Test(
    arguments: [
      ([:], 0), ([.age: "0"], 0), ([.age: "7200"], 7_200), ([.age: "0, 7200"], 0), ([.age: "7200, 0"], 7_200),
      ([.age: "7200", .age: "0"], 7_200), ([.age: "abc, 7200"], 0), ([.age: "-7200"], 0), ([.age: "7200.0"], 0),
      ([.age: "7200;a=b"], 0), ([.age: "\"7200\""], 0), ([.age: "7200 1"], 0), ([.age: "7200s"], 0), ([.age: ""], 0),
      ([.age: "99999999999999999999"], 2_147_483_648), ([.age: "007"], 7), ([.age: "+1"], 0),
    ] as [(HTTPFields, Double)])
  func `section 5.1: the first of several ages counts, a malformed one does not`(fields: HTTPFields, age: Double) {
    #expect(ResponseFacts(fields, receivedAt: start).age == age)
  }

  @Test(
    arguments: [
      ([.expires: date(60)], 60), ([.expires: date(-60)], 0), ([.expires: date(0)], 0), ([.expires: "0"], 0),
      ([.expires: "-1"], 0), ([.expires: ""], 0), ([.expires: "60"], 0), ([.expires: "never"], 0),
      ([.expires: "Thu, 01 Jan 2026 00:01:00 GMT"], 60), ([.expires: "Thursday, 01-Jan-26 00:01:00 GMT"], 60),
      ([.expires: "Thu Jan  1 00:01:00 2026"], 60), ([.expires: "thu, 01 JAN 2026 00:01:00 gmt"], 60),
      ([.expires: "Thu, 01 Jan 2026 00:01:00 UTC"], 0), ([.expires: "Thu, 01 Jan 2026 00:01:00 AEST"], 0),
      ([.expires: "Thu, 01 Jan 2026 00:01:00"], 0), ([.expires: "Thu 01 Jan 2026 00:01:00 GMT"], 0),
      ([.expires: "Thu, 1 Jan 2026 00:01:00 GMT"], 0), ([.expires: "Thu, 01 Jan 26 00:01:00 GMT"], 0),
      ([.expires: "Thu, 01-Jan-2026 00:01:00 GMT"], 0), ([.expires: "Thu, 01 Jan 2026 0:01:00 GMT"], 0),
      ([.expires: "Thu, 01 Jan 2026 00.01.00 GMT"], 0), ([.expires: "Thu,  01 Jan 2026  00:01:00 GMT"], 0),
      ([.expires: "\"Thu, 01 Jan 2026 00:01:00 GMT\""], 0), ([.expires: "2026-01-01T00:01:00Z"], 0),
      ([.expires: date(60), .expires: date(60)], 60), ([.expires: date(60), .expires: date(0)], 0),
      ([.expires: date(0), .expires: date(60)], 0), ([.expires: "\(date(60)), \(date(60))"], 0),
      ([.expires: date(60), .date: date(-60)], 120), ([.expires: date(60), .date: date(60)], 0),
      ([.expires: date(60), .date: "now"], 60), ([.expires: date(60), .cacheControl: "max-age=5"], 5),
      ([.expires: date(-60), .cacheControl: "max-age=5"], 5), ([.expires: date(60), .cacheControl: "max-age=x"], 0),
      ([.expires: date(60), .cacheControl: "s-maxage=5"], 60), ([.expires: "Fri, 31 Dec 9999 23:59:59 GMT"], nil),
      ([:], nil), ([.cacheControl: "max-age=5"], 5), ([.cacheControl: "no-cache"], nil),
    ] as [(HTTPFields, Double?)])
  func `sections 4.2.1 and 5.3: the lifetime that a response states`(fields: HTTPFields, lifetime: Double?) {
    let found = ResponseFacts(fields, receivedAt: start).explicitLifetime
    if fields[.expires]?.contains("9999") == true {
      #expect((found ?? 0) > 1e11)
    } else {
      #expect(found == lifetime)
    }
  }

  @Test(
    arguments: [
      ([:], []), ([.vary: ""], []), ([.vary: "Accept"], [.accept]), ([.vary: "accept, ACCEPT"], [.accept]),
      ([.vary: "Accept,,\t X-A "], [.accept, "x-a"]), ([.vary: "Accept", .vary: "X-A"], [.accept, "x-a"]),
      ([.vary: "*"], nil), ([.vary: "Accept, *"], nil), ([.vary: "Accept", .vary: "*"], nil), ([.vary: "@"], nil),
      ([.vary: (0...64).map { "x-\($0)" }.joined(separator: ",")], nil),
    ] as [(HTTPFields, [HTTPField.Name]?)])
  func `section 4.1: Vary, of which a star or what cannot be read matches nothing`(
    fields: HTTPFields, names: [HTTPField.Name]?
  ) {
    #expect(ResponseFacts(fields, receivedAt: start).vary == names)
  }
}
