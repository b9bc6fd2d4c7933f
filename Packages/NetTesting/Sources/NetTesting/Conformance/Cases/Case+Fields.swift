import Foundation
import NetCore
import NetLoopback

extension TransportConformance.Case {
  static let fields = [
    customFields, emptyFields, repeatedRequestFields, repeatedResponseFields, fieldOrder, unicodeFields,
    latin1RequestFields, latin1ResponseFields, fieldsWithoutSpace, cookiesKept,
  ]

  /// A field of the caller's own reaches the server, and one of the server's the caller.
  public static let customFields = Self("brings fields of any name both ways") { trial in
    let wire = try await trial.serve { request in
      LoopbackResponse(fields: ["X-Got": request.fields["X-Sent"] ?? "nothing", "x-lower": "a, b;c=\"d e\""])
    }
    let response = try await wire.send(fields: ["X-Sent": "a, b;c=\"d e\" (f)"])
    try expect("X-Sent at the server", response.fields["X-Got"], is: "a, b;c=\"d e\" (f)")
    try expect("x-lower", response.fields["X-Lower"], is: "a, b;c=\"d e\"")
  }

  /// A field may have an empty value (RFC 9110, section 5.5).
  public static let emptyFields = Self("brings empty fields both ways") { trial in
    let wire = try await trial.serve { request in
      LoopbackResponse(fields: ["X-Got": request.fields["X-Empty"].map { "[\($0)]" } ?? "nothing", "X-Empty": ""])
    }
    let response = try await wire.send(fields: ["X-Empty": ""])
    try expect("X-Empty at the server", response.fields["X-Got"], is: "[]")
    try expect("X-Empty", response.fields["X-Empty"], is: "")
  }

  /// Fields of the same name stay as many as they were.
  public static let repeatedRequestFields = Self("sends repeated fields one by one") { trial in
    let wire = try await trial.serve { .text($0.fields[values: "X-Many"].joined(separator: "|")) }
    let response = try await wire.send(fields: ["X-Many": "1", "X-Other": "x", "x-many": "2", "X-Many": "1"])
    try expect("X-Many at the server", response.text, is: "1|2|1")
  }

  /// Fields of the same name stay as many as they were.
  public static let repeatedResponseFields = Self("brings repeated fields one by one") { trial in
    let wire = try await trial.serve { _ in
      LoopbackResponse(fields: ["X-Many": "1", "X-Other": "x", "x-many": "2", "X-Many": "1"])
    }
    try expect("X-Many", try await wire.send().fields[values: "X-Many"], is: ["1", "2", "1"])
  }

  /// Fields keep their order, in requests and responses.
  public static let fieldOrder = Self("keeps the order of fields both ways") { trial in
    let names: [HTTPField.Name] = ["X-Z", "X-A", "X-M", "X-B", "X-Y"]
    let fields = HTTPFields(names.compactMap { HTTPField(name: $0, value: "1") })
    @Sendable func order(_ fields: HTTPFields) -> String {
      fields.map(\.name).filter { names.contains($0) }.map(\.canonicalName).joined(separator: " ")
    }
    let wire = try await trial.serve { request in
      LoopbackResponse(fields: fields, body: HTTPBody(order(request.fields)))
    }
    let response = try await wire.send(fields: fields)
    try expect("the order at the server", response.text, is: order(fields))
    try expect("the order", order(response.fields), is: order(fields))
  }

  /// Values beyond ASCII are UTF-8.
  public static let unicodeFields = Self("brings field values in UTF-8 both ways") { trial in
    let wire = try await trial.serve { LoopbackResponse(fields: ["X-Back": $0.fields["X-Name"] ?? "nothing"]) }
    try expect("X-Back", try await wire.send(fields: ["X-Name": "Grüße, 茶"]).fields["X-Back"], is: "Grüße, 茶")
  }

  /// A value that is not UTF-8 keeps its bytes.
  public static let latin1RequestFields = Self("sends field values that are not UTF-8 as they are") { trial in
    let wire = try await trial.serve { request in
      .bytes(Data(request.fields.first { $0.name == "X-Name" }?.bytes ?? []))
    }
    let response = try await wire.send(fields: latin1)
    try expect("the bytes of X-Name at the server", response.body.bufferedBytes, is: Data(latin1[0].bytes))
  }

  /// A value that is not UTF-8 keeps its bytes.
  public static let latin1ResponseFields = Self("brings field values that are not UTF-8 as they are") { trial in
    let wire = try await trial.serve { _ in LoopbackResponse(fields: latin1, body: HTTPBody("hello")) }
    let response = try await wire.send()
    try expect("X-Name", response.fields.first { $0.name == "X-Name" }?.bytes, is: latin1[0].bytes)
    try expect("the body", response.text, is: "hello")
  }

  private static let latin1 = HTTPFields(
    [HTTPField(name: "X-Name", bytes: Array("caf".utf8) + [0xE9])].compactMap(\.self))

  /// White space around a value is optional (RFC 9112, section 5).
  public static let fieldsWithoutSpace = Self("takes fields with and without white space around the value") { trial in
    let wire = try await trial.serve { _ in
      .raw("HTTP/1.1 200 OK\r\nX-None:a\r\nX-Much: \t b \t\r\nContent-Length:5\r\n\r\nhello")
    }
    let response = try await wire.send()
    try expect("X-None", response.fields["X-None"], is: "a")
    try expect("X-Much", response.fields["X-Much"], is: "b")
    try expect("the body", response.text, is: "hello")
  }

  /// Three `Set-Cookie` stay three, in whichever case (RFC 6265, section 3), and none is sent back.
  public static let cookiesKept = Self("brings every Set-Cookie, and sends no cookie by itself") { trial in
    let cookies = ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2065 07:28:00 GMT", "c=3"]
    let wire = try await trial.serve { request in
      LoopbackResponse(
        fields: ["Set-Cookie": cookies[0], "set-cookie": cookies[1], "Set-Cookie": cookies[2]],
        body: HTTPBody(request.fields[.cookie] ?? "no cookie"))
    }
    for _ in 0..<2 {
      let response = try await wire.send()
      try expect("Set-Cookie", response.fields[values: .setCookie], is: cookies)
      try expect("Cookie at the server", response.text, is: "no cookie")
    }
    try expect("a Cookie that was given", try await wire.send(fields: [.cookie: "d=4"]).text, is: "d=4")
  }
}
