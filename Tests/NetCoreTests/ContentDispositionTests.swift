import Testing

@testable import NetCore

@Suite(.timeLimit(.minutes(1))) struct ContentDispositionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let value: String
    let filename: String?
    var isWellFormed = true
    var testDescription: String { value.debugDescription.prefix(80).description }
  }

  @Test(arguments: [
    // As RFC 6266, section 5, has them.
    Row(value: #"Attachment; filename=example.html"#, filename: "example.html"),
    Row(value: #"INLINE; FILENAME= "an example.html""#, filename: "an example.html"),
    Row(value: #"attachment; filename*= UTF-8''%e2%82%ac%20rates"#, filename: "€ rates"),
    Row(value: #"attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates"#, filename: "€ rates"),
    Row(value: #"attachment; filename*=UTF-8'en'na%C3%AFve.txt; filename="naive.txt""#, filename: "naïve.txt"),
    Row(value: #"attachment; filename*=iso-8859-1''na%EFve.txt"#, filename: "naïve.txt"),
    Row(value: "inline", filename: nil),
    Row(value: #"attachment; filename="""#, filename: ""),
    Row(value: #"attachment; filename="a\"b\\c.txt""#, filename: #"a"b\c.txt"#),
    Row(value: #"attachment; filename="C:\temp\new.txt""#, filename: #"C:\temp\new.txt"#),
    Row(value: #"attachment; filename="a;b=c.txt"; size=3"#, filename: "a;b=c.txt"),
    Row(value: #"attachment; filename="naïve 🎈.txt""#, filename: "naïve 🎈.txt"),
    Row(value: "attachment;filename=a.txt;", filename: "a.txt"),
    Row(value: "attachment ;\t filename = a.txt", filename: "a.txt"),
    // An extended value that cannot be read leaves the plain one.
    Row(value: #"attachment; filename=b; filename*=UTF-8''%zz"#, filename: "b"),
    Row(value: #"attachment; filename=b; filename*=UTF-8''%C3"#, filename: "b"),
    Row(value: #"attachment; filename=b; filename*=UTF-8''%E2%8"#, filename: "b"),
    Row(value: #"attachment; filename=b; filename*=UTF-16''%00a"#, filename: "b"),
    Row(value: #"attachment; filename=b; filename*=UTF-8'a"#, filename: "b"),
    Row(value: #"attachment; filename*=UTF-8''%C0%AE%C0%AE%2F"#, filename: nil),
    Row(value: #"attachment; filename*0="a"; filename*1="b""#, filename: nil),
    // What breaks the grammar.
    Row(value: "", filename: nil, isWellFormed: false),
    Row(value: ";", filename: nil, isWellFormed: false),
    Row(value: "filename=a.txt", filename: "a.txt", isWellFormed: false),
    Row(value: "attachment; filename=my file.txt; x=1", filename: "my file.txt", isWellFormed: false),
    Row(value: #"attachment; filename="open"#, filename: "open", isWellFormed: false),
    Row(value: #"attachment; filename="a" b; x=1"#, filename: "a", isWellFormed: false),
    Row(value: #"attachment; filename=a; filename=b"#, filename: "a", isWellFormed: false),
    Row(value: "attachment; filename", filename: nil, isWellFormed: false),
    Row(value: "attachment; =a; filename=b", filename: "b", isWellFormed: false),
    Row(value: "attachment; fi lename=a", filename: nil, isWellFormed: false),
    Row(value: "attachment; filename=", filename: "", isWellFormed: false),
    Row(value: "attachment; filename=\"a\\", filename: "a\\", isWellFormed: false),
    Row(value: "a b; filename=c", filename: "c", isWellFormed: false),
    Row(
      value: "attachment; filename=" + String(repeating: "a", count: 9000) + "; x=1",
      filename: String(repeating: "a", count: 8192 - 21), isWellFormed: false),
    Row(
      value: "attachment" + (0..<40).map { "; p\($0)=1" }.joined() + "; filename=a", filename: nil, isWellFormed: false),
  ])
  func `reads the filename`(_ row: Row) {
    let disposition = ContentDisposition(row.value)
    #expect(disposition.filename == row.filename)
    #expect(disposition.isWellFormed == row.isWellFormed)
  }

  @Test func `reads the type and every parameter`() {
    let disposition = ContentDisposition(#"Form-Data; Name="a b"; x-y=Z"#)
    #expect(disposition.type == "form-data")
    #expect(disposition.parameters == ["name": "a b", "x-y": "Z"])
  }
}
