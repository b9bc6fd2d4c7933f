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
        let stored = try await home.sql("SELECT port FROM state")
        try await Backend.asking(folder: home.folder, log: log) { second in
          #expect(second.url != first.url)
          let (taken, port) = (try #require(first.url.port), try #require(second.url.port))
          let remedy = "if brewtips serve has it, --base-url http://127.0.0.1:\(taken) asks that"
          #expect(log.warnings == ["port \(taken) is taken: this run listens on \(port) instead; \(remedy)"])
        }
        #expect(try await home.sql("SELECT port FROM state") == stored)
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
      try await Backend.asking(folder: home.folder, port: 0) { ask in
        let users = try await ask(.get, "/users")
        #expect(users.text == "[]")
      }
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

  @Test func `the folder and its files are their owner's alone, and nothing else is left there`() async throws {
    try await StateHome.with { home in
      try await Backend.asking(folder: home.folder) { ask in _ = try await ask.addUser("Ada") }
      let files = FileManager.default
      #expect(try home.names() == ["state.lock", "state.sqlite"])
      #expect(try files.attributesOfItem(atPath: home.folder)[.posixPermissions] as? Int == 0o700)
      for path in [home.database, home.folder + "/state.lock"] {
        #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      }
    }
  }

  // MARK: - What cannot be used

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
    let folder = "/dev/null/x/brewtips"
    try await expectMemoryOnly(folder, because: "could not make the folder \(folder): Not a directory")
  }

  @Test(arguments: ["state.sqlite", "state.lock", "state.json"])
  func `what is not a file is left alone`(name: String) async throws {
    let reasons = [
      "state.sqlite": "is not a regular file", "state.lock": "could not lock",
      "state.json": "is not a regular file",
    ]
    try await StateHome.with { home in
      let path = "\(home.folder)/\(name)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder, log: log) { ask in
        let (ada, same) = (try await ask.addUser("Ada"), try await ask(.get, "/users/1"))
        #expect(ada.status == .created)
        #expect(same.text == ada.text)
      }
      try #require(log.warnings.count == 1)
      #expect(log.warnings[0].contains(try #require(reasons[name])), "\(log.warnings)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }
  }

  @Test(arguments: ["state.sqlite", "state.json"])
  func `a named pipe is left alone, and nobody waits for its other end`(name: String) async throws {
    try await StateHome.with { home in
      let path = "\(home.folder)/\(name)"
      try FileManager.default.createDirectory(atPath: home.folder, withIntermediateDirectories: true)
      try #require(mkfifo(path, 0o600) == 0)
      let log = RecordedLog()
      try await Backend.asking(folder: home.folder, log: log) { ask in
        let ada = try await ask.addUser("Ada")
        #expect(ada.status == .created)
      }
      #expect(log.warnings.count == 1, "\(log.warnings)")
      #expect(try home.names().contains(name))
    }
  }

  @Test func `the database of a newer version is left alone`() async throws {
    try await StateHome.with { home in
      try await Backend.asking(folder: home.folder) { ask in _ = try await ask.addUser("Zoe") }
      try await home.sql("PRAGMA user_version = 99")
      let before = try Data(contentsOf: URL(filePath: home.database))
      try await expectMemoryOnly(home.folder, because: "state.sqlite was written by a newer version")
      #expect(try Data(contentsOf: URL(filePath: home.database)) == before)
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
