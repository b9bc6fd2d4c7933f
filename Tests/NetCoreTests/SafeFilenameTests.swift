import TestSupport
import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct SafeFilenameTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String?
    let safe: String
    var testDescription: String { name.debugDescription.prefix(60).description }
  }

  private static let long = String(repeating: "a", count: 300)

  static let rows = [
    Row(name: "photo.jpg", safe: "photo.jpg"),
    Row(name: "naïve 🎈 日本.txt", safe: "naïve 🎈 日本.txt"),
    Row(name: "archive.tar.gz", safe: "archive.tar.gz"),
    Row(name: "50%2e%2e%2f.txt", safe: "50%2e%2e%2f.txt"),
    // Nothing is left.
    Row(name: nil, safe: "download"),
    Row(name: "", safe: "download"),
    Row(name: ".", safe: "download"),
    Row(name: "..", safe: "download"),
    Row(name: " . . ", safe: "download"),
    Row(name: "/", safe: "download"),
    Row(name: "\\\\", safe: "download"),
    Row(name: "a/..", safe: "download"),
    Row(name: "\u{202E}\u{0}\u{7F}\u{200B}", safe: "download"),
    // Paths.
    Row(name: "../../etc/passwd", safe: "passwd"),
    Row(name: "/etc/passwd", safe: "passwd"),
    Row(name: "a/b/", safe: "b"),
    Row(name: #"..\..\windows\system.ini"#, safe: "system.ini"),
    Row(name: #"\\server\share\a.txt"#, safe: "a.txt"),
    Row(name: #"C:\temp\new.txt"#, safe: "new.txt"),
    Row(name: "C:new.txt", safe: "C_new.txt"),
    Row(name: #"a/b\c/d"#, safe: "d"),
    Row(name: "a/\u{338}b", safe: "\u{338}b"),
    Row(name: "..\u{0}/a", safe: "a"),
    Row(name: ".\u{0}./", safe: "download"),
    // What is hidden, or seems what it is not.
    Row(name: ".htaccess", safe: "htaccess"),
    Row(name: " ..\u{A0}.profile", safe: "profile"),
    Row(name: "report.txt. . ", safe: "report.txt"),
    Row(name: "report.txt\u{3000}", safe: "report.txt"),
    Row(name: "photo\u{202E}gpj.exe", safe: "photogpj.exe"),
    Row(name: "a\u{2066}b\u{2069}c\u{200F}d\u{061C}e\u{FEFF}.txt", safe: "abcde.txt"),
    Row(name: "a\r\nb\tc\u{1B}[2J\u{85}.txt", safe: "abc[2J.txt"),
    Row(name: "a\u{2028}b\u{2029}c", safe: "abc"),
    Row(name: "a\u{E0041}\(Unicode.Scalar(0xFFFE as UInt16)!)b", safe: "ab"),
    Row(name: "a\u{A0}b\u{2003}c", safe: "a b c"),
    // What Windows forbids.
    Row(name: "a.txt:stream", safe: "a.txt_stream"),
    Row(name: "a<b>c\"d|e?f*g", safe: "a_b_c_d_e_f_g"),
    Row(name: "con", safe: "_con"),
    Row(name: "CON.txt", safe: "_CON.txt"),
    Row(name: "nul.tar.gz", safe: "_nul.tar.gz"),
    Row(name: "Aux .c", safe: "_Aux .c"),
    Row(name: "prn", safe: "_prn"),
    Row(name: "com1", safe: "_com1"),
    Row(name: "LPT9.log", safe: "_LPT9.log"),
    Row(name: "com¹.txt", safe: "_com¹.txt"),
    Row(name: "conin$", safe: "_conin$"),
    Row(name: ".con", safe: "_con"),
    Row(name: "c\u{200B}on", safe: "_con"),
    Row(name: "com", safe: "com"),
    Row(name: "com10", safe: "com10"),
    Row(name: "console.txt", safe: "console.txt"),
    // Too long.
    Row(name: long, safe: String(long.prefix(255))),
    Row(name: long + ".jpeg", safe: String(long.prefix(250)) + ".jpeg"),
    Row(name: "a." + long, safe: "a." + long.prefix(253)),
    Row(name: long + "." + long.prefix(40), safe: String(long.prefix(255))),
    Row(name: String(repeating: "é", count: 200) + ".é", safe: String(repeating: "é", count: 126) + ".é"),
    Row(name: String(repeating: "👨‍👩‍👧", count: 100), safe: String(repeating: "👨👩👧", count: 21)),
    Row(name: String(repeating: "🇳🇱", count: 40) + ".png", safe: String(repeating: "🇳🇱", count: 31) + ".png"),
    Row(name: "a" + String(repeating: "\u{301}", count: 200), safe: "a" + String(repeating: "\u{301}", count: 127)),
    Row(name: "con" + String(repeating: " ", count: 300) + "x.txt", safe: "_con.txt"),
    Row(name: "a" + String(repeating: " ", count: 300) + "b.txt", safe: "a.txt"),
    Row(name: "con." + long, safe: "_con." + long.prefix(250)),
  ]

  @Test(arguments: rows)
  func `makes a name safe`(_ row: Row) {
    #expect(SafeFilename.make(from: row.name, default: "download") == row.safe)
  }

  @Test(arguments: rows)
  func `a safe name stays as it is`(_ row: Row) {
    #expect(SafeFilename.make(from: row.safe, default: "none") == row.safe)
  }

  @Test func `leaves room for a suffix`() {
    #expect(SafeFilename.make(from: Self.long + ".txt", default: "", maximumSize: 100) == Self.long.prefix(96) + ".txt")
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `whatever it is made from, a name is safe`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("/\\.: con~ab\u{202E}\u{0}\u{301}\r\né👩🏽‍🚀\"<*\u{A0}\u{2028}".unicodeScalars)
    let count = Int.random(in: 0...400, using: &generator)
    let name = String(String.UnicodeScalarView((0..<count).map { _ in alphabet.randomElement(using: &generator)! }))
    let safe = SafeFilename.make(from: name, default: "download")
    #expect(!safe.isEmpty && safe.utf8.count <= 255)
    #expect(
      safe.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"/\\:*?\"<>|\u{202E}\u{2028}".unicodeScalars.contains($0) })
    let edges: [Unicode.Scalar?] = [safe.unicodeScalars.first, safe.unicodeScalars.last]
    #expect(edges.allSatisfy { $0 != "." && $0 != " " })
    #expect(SafeFilename.make(from: safe, default: "none") == safe)
  }
}
