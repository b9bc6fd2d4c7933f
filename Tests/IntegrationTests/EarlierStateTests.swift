import Foundation
import NetCore
import TestSupport
import Testing

@testable import BrewTipsBackend

/// The file of an earlier version, which the database takes over.
@Suite(.timeLimit(.minutes(1))) struct EarlierStateTests {
  private let log = RecordedLog()

  /// As version 0.1.0 wrote it before there was a database.
  private static let file = #"""
    {
      "lastID" : 4,
      "port" : 23952,
      "users" : [
        {
          "email" : "ada@example.com",
          "id" : 1,
          "name" : "Ada"
        },
        {
          "email" : "grace@example.org",
          "id" : 2,
          "name" : "Grace"
        },
        {
          "email" : "z@example.com",
          "id" : 3,
          "name" : "Zoë \"Z\" 咖啡/☕️ \\"
        }
      ],
      "version" : 1
    }

    """#
  private static let names = ["Ada", "Grace", #"Zoë "Z" 咖啡/☕️ \"#]

  private func store(_ home: StateHome, patience: Duration = .seconds(5)) -> StateStore {
    StateStore(folder: home.folder, log: log, patience: patience)
  }

  private func expectTakenOver(_ home: StateHome, _ store: StateStore) async throws {
    #expect(try await store.port() == 23_952)
    #expect(try await store.users().map(\.name) == Self.names)
    #expect(try await store.add(NewUser(name: "Alan", email: "alan@example.com")).id == 5)
    #expect(try home.names() == ["state.imported.json", "state.lock", "state.sqlite"])
    #expect(try home.text("state.imported.json") == Self.file)
    #expect(try await home.sql("SELECT last_id, (SELECT count(*) FROM users) FROM state") == "[[5, 4]]")
    #expect(log.warnings.isEmpty)
  }

  @Test func `it is taken over once, and kept under another name`() async throws {
    try await StateHome.with { home in
      try home.writeEarlier(Self.file)
      try await expectTakenOver(home, store(home))
      #expect(try await store(home).users().count == 4)
    }
  }

  @Test func `an empty one is taken over too`() async throws {
    try await StateHome.with { home in
      try home.writeEarlier(#"{"lastID": 7, "users": [], "version": 1}"#)
      #expect(try await store(home).add(NewUser(name: "Ada", email: "a@b")).id == 8)
      #expect(log.warnings.isEmpty)
    }
  }

  @Test func `stores that begin at once take it over once`() async throws {
    try await StateHome.with { home in
      try home.writeEarlier(Self.file)
      let stores = (0..<8).map { _ in store(home) }
      try await withThrowingTaskGroup { group in
        for store in stores { group.addTask { try await store.users().map(\.name) } }
        for try await names in group { #expect(names == Self.names) }
      }
      try await expectTakenOver(home, stores[0])
    }
  }

  @Test func `processes that begin at once take it over once`() async throws {
    try await StateHome.with { home in
      try home.writeEarlier(Self.file)
      try await withThrowingTaskGroup { group in
        for _ in 0..<6 {
          group.addTask { try await Brewtips.run(["users", "list"], environment: home.environment) }
        }
        for try await run in group {
          #expect(run.output.split(separator: "\n").count == 3)
          #expect(run.errors.isEmpty || run.errors.contains(" is taken: "), "\(run.errors)")
        }
      }
      try await expectTakenOver(home, store(home))
    }
  }

  @Test func `one whose content was taken over before a crash is only renamed`() async throws {
    try await StateHome.with { home in
      try home.writeEarlier(Self.file)
      _ = try await store(home).add(NewUser(name: "Alan", email: "alan@example.com"))
      // As after a kill between the transaction and the new name.
      try await home.sql("PRAGMA user_version = 1")
      try FileManager.default.moveItem(atPath: home.folder + "/state.imported.json", toPath: home.earlierFile)
      #expect(try await store(home).users().map(\.name) == Self.names + ["Alan"])
      #expect(try home.names() == ["state.imported.json", "state.lock", "state.sqlite"])
      #expect(try await home.sql("PRAGMA user_version") == "[[2]]")
      #expect(log.warnings.isEmpty)
    }
  }

  @Test func `kills while it is taken over lose nothing`() async throws {
    for _ in 1...15 {
      try await StateHome.with { home in
        try home.writeEarlier(Self.file)
        let child = try ChildProcess([Brewtips.app, "users", "list"], environment: home.environment)
        // No wait for anything: what makes the moment a random one.
        try await Task.sleep(for: .microseconds(.random(in: 0...25_000)))
        child.send(SIGKILL)
        _ = await child.status()
        try await expectTakenOver(home, store(home))
      }
    }
  }

  @Test func `one that comes later is not used, as one line says, and one that was taken over before is kept`()
    async throws
  {
    try await StateHome.with { home in
      try home.writeEarlier(Self.file)
      try home.write(Data("kept".utf8), to: home.folder + "/state.imported.json")
      #expect(try await store(home).users().count == 3)
      #expect(try home.text("state.imported.json") == "kept")
      #expect(try home.names().count == 4)
      try home.writeEarlier(#"{"lastID": 1, "users": [{"email": "a@b", "id": 1, "name": "Eve"}], "version": 1}"#)
      #expect(try await store(home).users().map(\.name) == Self.names)
      #expect(try home.names().contains("state.json"))
      let remedy = "remove the one that is not needed"
      #expect(log.warnings == ["\(home.earlierFile) is not used, since the data is in state.sqlite: \(remedy)"])
    }
  }

  // MARK: - What cannot be taken over

  private static let user = #"{"email": "a@b", "id": 2, "name": "A"}"#

  @Test(arguments: [
    "", "{", "[]", "null", "\u{0}\u{FF}", #"{"version": 1}"#, #"{"lastID": 0, "users": [], "version": 0}"#,
    #"{"lastID": 0, "port": 70000, "users": [], "version": 1}"#,
    #"{"lastID": 9223372036854775807, "users": [], "version": 1}"#,
    #"{"lastID": 0, "users": [\#(user)], "version": 1}"#, #"{"lastID": 1, "users": [\#(user)], "version": 1}"#,
    #"{"lastID": 2, "users": [\#(user), \#(user)], "version": 1}"#,
  ])
  func `a damaged one is set aside, and a new database begins`(content: String) async throws {
    try await StateHome.with { home in
      try home.writeEarlier(content)
      try await Backend.asking(folder: home.folder, log: log) { ask in
        let (tip, ada) = (try await ask(.get, "/tips/today"), try await ask.addUser("Ada"))
        #expect(tip.status == .ok)
        #expect(ada.fields[.location] == "/users/1")
      }
      try #require(log.warnings.count == 1)
      let names = try home.names()
      let aside = try #require(names.first { $0.hasPrefix("state.damaged-") })
      #expect(log.warnings[0] == "\(home.earlierFile) is damaged: it is called \(aside) now, and a new one begins")
      #expect(try home.text(aside) == content)
      #expect(names == [aside, "state.lock", "state.sqlite"])
      #expect(try await home.sql("SELECT name FROM users") == #"[["Ada"]]"#)
    }
  }

  @Test func `one of a newer version is left alone`() async throws {
    try await StateHome.with { home in
      let newer = #"{"version": 2, "tips": ["of another form"]}"#
      try home.writeEarlier(newer)
      for number in 1...2 {
        #expect(try await store(home).add(NewUser(name: "Ada", email: "a@b")).id == 1)
        let reason = "state.json was written by a newer version"
        #expect(
          log.warnings.last
            == "cannot keep data in \(home.folder): \(reason). What is added is lost when this run ends")
        #expect(log.warnings.count == number)
        #expect(try home.text("state.json") == newer)
      }
      // Once it is gone nothing is in the way.
      try FileManager.default.removeItem(atPath: home.earlierFile)
      _ = try await store(home).add(NewUser(name: "Ada", email: "a@b"))
      #expect(try await home.sql("SELECT name FROM users") == #"[["Ada"]]"#)
      #expect(log.warnings.count == 2)
    }
  }

  @Test func `it stays as it is while the database cannot be made, and its data is used`() async throws {
    try await StateHome.with { home in
      try home.writeEarlier(Self.file)
      try home.write(Data(), to: home.database)
      try await home.whileLocked("BEGIN EXCLUSIVE") {
        let store = store(home, patience: .milliseconds(50))
        let (users, alan) = (
          try await store.users(), try await store.add(NewUser(name: "Alan", email: "a@b"))
        )
        #expect(users.map(\.name) == Self.names)
        #expect(alan.id == 5)
        #expect(log.warnings.count == 1)
        #expect(try home.text("state.json") == Self.file)
      }
      let late = StateStore(folder: home.folder, log: log)
      #expect(try await late.users().map(\.name) == Self.names)
      #expect(try home.text("state.imported.json") == Self.file)
      #expect(log.warnings.count == 1)
    }
  }
}
