import Foundation
import NetCore
import NetLoopback
import Testing

@testable import BrewTipsBackend

/// What the server keeps from run to run, and what it does when it cannot.
@Suite(.timeLimit(.minutes(1))) struct BackendStateTests {
  @Test func `users and their numbers last from run to run`() async throws {
    try await StateHome.with { home in
      try await Backend.asking(folder: home.folder) { ask in _ = try await ask.addUser("Ada") }
      try await Backend.asking(folder: home.folder) { ask in
        let (ada, alan) = (try await ask(.get, "/users/1"), try await ask.addUser("Alan"))
        #expect(ada.status == .ok)
        #expect(alan.fields[.location] == "/users/2")
      }
    }
  }

  @Test func `the URL stays the same from run to run`() async throws {
    try await StateHome.with { home in
      var first: URL?
      try await Backend.asking(folder: home.folder) { ask in first = ask.url }
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder, log: log) { ask in
        // Between the runs anybody may take the port.
        #expect(ask.url == first || log.warnings.first?.contains(" is taken") == true)
      }
    }
  }

  @Test func `while the port is taken another is used, and the log says so`() async throws {
    try await StateHome.with { home in
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder) { first in
        let stored = try home.content()
        try await Backend.asking(folder: home.folder, log: log) { second in
          #expect(second.url != first.url)
          let (taken, port) = (try #require(first.url.port), try #require(second.url.port))
          let remedy = "if brewtips serve has it, --base-url http://127.0.0.1:\(taken) asks that"
          #expect(log.warnings == ["port \(taken) is taken: this run listens on \(port) instead; \(remedy)"])
        }
        #expect(try home.content() == stored)
      }
    }
  }

  @Test func `a port that is asked for is used, not kept, and an error when it is taken`() async throws {
    try await StateHome.with { home in
      try await LoopbackServer.with(handler: { _ in .text("") }) { other in
        let error = await #expect(throws: BackendStartError.self) {
          try await Backend.asking(folder: home.folder, port: other.port) { _ in }
        }
        #expect(error?.description.hasPrefix("Port \(other.port) is in use") == true)
      }
      try await Backend.asking(folder: home.folder, port: 0) { _ in }
      #expect(!FileManager.default.fileExists(atPath: home.folder))
    }
  }

  @Test func `servers on the same folder lose no user and give no number twice`() async throws {
    try await StateHome.with { home in
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder, log: log) { one in
        try await Backend.asking(folder: home.folder) { other in
          let numbers = try await withThrowingTaskGroup { group in
            for number in 1...40 {
              let ask = number % 2 == 0 ? one : other
              group.addTask { try await ask.addUser("User \(number)").fields[.location] }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
          }
          #expect(numbers == Set((1...40).map { "/users/\($0)" }))
          let lists = (try await one(.get, "/users"), try await other(.get, "/users"))
          #expect(lists.0.text == lists.1.text)
        }
      }
      #expect(log.warnings.isEmpty)
    }
  }

  @Test func `the folder and the file are their owner's alone, and nothing else is left there`() async throws {
    try await StateHome.with { home in
      try await Backend.asking(folder: home.folder) { ask in _ = try await ask.addUser("Ada") }
      let files = FileManager.default
      #expect(try files.contentsOfDirectory(atPath: home.folder).sorted() == ["state.json", "state.lock"])
      #expect(try files.attributesOfItem(atPath: home.folder)[.posixPermissions] as? Int == 0o700)
      #expect(try files.attributesOfItem(atPath: home.file)[.posixPermissions] as? Int == 0o600)
    }
  }

  private static let user = #"{"email": "a@b", "id": 2, "name": "A"}"#

  @Test(arguments: [
    "", "{", "[]", "null", "\u{0}\u{FF}", #"{"version": 1}"#,
    #"{"lastID": 0, "port": 70000, "users": [], "version": 1}"#,
    #"{"lastID": 9223372036854775807, "users": [], "version": 1}"#,
    #"{"lastID": 1, "users": [\#(user)], "version": 1}"#,
    #"{"lastID": 2, "users": [\#(user), \#(user)], "version": 1}"#,
  ])
  func `a damaged file is set aside, and a new one begins`(content: String) async throws {
    try await StateHome.with { home in
      try home.write(content)
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder, log: log) { ask in
        let (tip, ada) = (try await ask(.get, "/tips/today"), try await ask.addUser("Ada"))
        #expect(tip.status == .ok)
        #expect(ada.fields[.location] == "/users/1")
      }
      try #require(log.warnings.count == 1)
      let names = try FileManager.default.contentsOfDirectory(atPath: home.folder)
      let aside = try #require(names.first { $0.hasPrefix("state.damaged-") })
      #expect(log.warnings[0] == "\(home.file) is damaged: it is called \(aside) now, and a new one begins")
      #expect(try String(contentsOfFile: "\(home.folder)/\(aside)", encoding: .utf8) == content)
      #expect(try home.content().contains("Ada"))
    }
  }

  private func expectMemoryOnly(_ folder: String, because reason: String) async throws {
    let log = RecordedLog()
    try await Backend.asking(folder: folder, log: log) { ask in
      let tip = try await ask(.get, "/tips/today")
      #expect(tip.status == .ok)
      for name in ["Ada", "Alan"] { _ = try await ask.addUser(name) }
      let alan = try await ask(.get, "/users/2")
      #expect(alan.status == .ok)
    }
    #expect(log.warnings == ["cannot keep data in \(folder): \(reason). What is added is lost when this run ends"])
  }

  @Test func `a folder that cannot be made leaves the data in memory, and one line says so`() async throws {
    try await expectMemoryOnly("/dev/null/x/brewtips", because: "Not a directory")
  }

  @Test func `what is not a file is left alone`() async throws {
    try await StateHome.with { home in
      try FileManager.default.createDirectory(atPath: home.file, withIntermediateDirectories: true)
      try await expectMemoryOnly(home.folder, because: "\(home.file) is not a regular file")
    }
    try await StateHome.with { home in
      try FileManager.default.createDirectory(atPath: home.folder, withIntermediateDirectories: true)
      try #require(mkfifo(home.file, 0o600) == 0)
      try await expectMemoryOnly(home.folder, because: "\(home.file) is not a regular file")
    }
  }

  @Test func `the file of a newer version is left alone`() async throws {
    try await StateHome.with { home in
      let newer = #"{"version": 2, "tips": ["of another form"]}"#
      try home.write(newer)
      try await expectMemoryOnly(home.folder, because: "state.json was written by a newer version")
      #expect(try home.content() == newer)
    }
  }

  @Test func `a file that a crash left half written does not matter`() async throws {
    try await StateHome.with { home in
      try await Backend.asking(folder: home.folder) { ask in _ = try await ask.addUser("Ada") }
      try "{".write(toFile: home.file + ".new", atomically: false, encoding: .utf8)
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder, log: log) { ask in
        let alan = try await ask.addUser("Alan")
        #expect(alan.fields[.location] == "/users/2")
      }
      #expect(log.warnings.allSatisfy { $0.contains(" is taken") })
    }
  }

  @Test func `the folder is XDG's, as long as the path is absolute`() {
    let folder = { Backend.stateFolder(environment: $0) }
    #if canImport(Darwin)
    #expect(folder(["HOME": "/h"]) == "/h/Library/Application Support/brewtips")
    #else
    #expect(folder(["XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/x/brewtips")
    #expect(folder(["XDG_STATE_HOME": "x", "HOME": "/h"]) == "/h/.local/state/brewtips")
    #expect(folder(["XDG_STATE_HOME": "", "HOME": "/h"]) == "/h/.local/state/brewtips")
    #expect(folder(["HOME": "h"]).hasSuffix("/.local/state/brewtips"))
    #endif
  }
}
