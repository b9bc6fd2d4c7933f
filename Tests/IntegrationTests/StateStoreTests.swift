import Foundation
import NetCore
import NetLoopback
import Testing

@testable import BrewTipsBackend

/// The database with the server's state, beside other programs that use it.
@Suite(.timeLimit(.minutes(1))) struct StateStoreTests {
  private let log = RecordedLog()

  /// A store with users of these names in it.
  private func store(
    _ home: StateHome, _ names: String..., patience: Duration = .seconds(5)
  ) async throws -> StateStore {
    let store = StateStore(folder: home.folder, log: log, patience: patience)
    for name in names { _ = try await store.add(user(name)) }
    return store
  }

  private func user(_ name: String) throws -> NewUser {
    try NewUser(name: name, email: "\(name)@example.com")
  }

  @Test func `what other programs write is read at once, and what they find is all there`() async throws {
    try await StateHome.with { home in
      let store = try await store(home, "Ada", "Grace")
      try await store.keepPort(20_000)
      try await store.keepPort(20_001)
      #expect(
        try await home.sql("SELECT * FROM users")
          == #"[[1, "Ada", "Ada@example.com"], [2, "Grace", "Grace@example.com"]]"#)
      #expect(try await home.sql("SELECT port, last_id FROM state") == "[[20000, 2]]")
      #expect(try await home.sql("PRAGMA integrity_check") == #"[["ok"]]"#)
      try await home.sql("UPDATE users SET name = 'Grace H.' WHERE id = 2", "UPDATE state SET port = 20002")
      #expect(try await store.users().map(\.name) == ["Ada", "Grace H."])
      #expect(try await store.user(2)?.name == "Grace H.")
      #expect(try await store.user(3) == nil)
      #expect(try await store.port() == 20_002)
      #expect(log.warnings.isEmpty)
    }
  }

  @Test func `the number of a user who was removed is not given again`() async throws {
    try await StateHome.with { home in
      let store = try await store(home, "Ada", "Alan")
      try await home.sql("DELETE FROM users WHERE id = 2")
      #expect(try await store.add(user("Grace")).id == 3)
      try await home.sql("UPDATE state SET last_id = \(1 << 53)")
      await #expect(throws: LoopbackError.self) { try await store.add(user("Zoe")) }
      #expect(try await store.users().map(\.id) == [1, 3])
    }
  }

  @Test func `a number that another program has given is not given again`() async throws {
    try await StateHome.with { home in
      let store = try await store(home, "Ada", patience: .milliseconds(50))
      try await home.sql("INSERT INTO users VALUES (2, 'Alan', 'a@b')")
      #expect(try await store.add(user("Grace")).id == 3)
      try await home.sql("INSERT INTO users VALUES (4, 'Alan', 'a@b')")
      // In memory neither.
      try await home.whileLocked("BEGIN IMMEDIATE") {
        let zoe = try await store.add(user("Zoe"))
        #expect(zoe.id == 5)
      }
    }
  }

  @Test(arguments: [true, false]) func `users have an end`(isInMemory: Bool) async throws {
    try await StateHome.with { home in
      let store = StateStore(folder: isInMemory ? nil : home.folder, log: log)
      for number in 1...(isInMemory ? 1_000 : 1) { _ = try await store.add(user("User\(number)")) }
      if !isInMemory {
        try await home.sql(
          """
          INSERT INTO users WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id < 999)
          SELECT id, 'User', 'a@b' FROM n
          """, "UPDATE state SET last_id = 999")
        _ = try await store.add(user("Last"))
      }
      let error = await #expect(throws: LoopbackError.self) { try await store.add(user("One")) }
      #expect(error?.status == 507)
      #expect(try await store.users().map(\.id) == Array(1...1_000))
      #expect(log.warnings.isEmpty)
    }
  }

  @Test(arguments: [
    "INSERT INTO users VALUES (1, 'B', 'b@b')", "INSERT INTO users VALUES (0, 'B', 'b@b')",
    "INSERT INTO users VALUES (9007199254740993, 'B', 'b@b')", "INSERT INTO users VALUES (2, NULL, 'b@b')",
    "UPDATE users SET email = x'00'", "UPDATE state SET port = 0", "UPDATE state SET port = 65536",
    "UPDATE state SET port = 'http'", "UPDATE state SET last_id = -1", "UPDATE state SET last_id = NULL",
    "UPDATE state SET last_id = 9007199254740993", "INSERT INTO state VALUES (2, NULL, 0)",
    "INSERT INTO state VALUES (1, NULL, 0)",
  ])
  func `the tables refuse what breaks a rule`(statement: String) async throws {
    try await StateHome.with { home in
      _ = try await store(home, "Ada")
      await #expect(throws: (any Error).self) { try await home.sql(statement) }
    }
  }

  @Test func `a name may have anything in it that a server takes`() async throws {
    try await StateHome.with { home in
      let name = #"Zoë "Z" '); DROP TABLE users; -- 咖啡 \ 👩‍🚀"#
      let store = StateStore(folder: home.folder, log: log)
      _ = try await store.add(NewUser(name: name, email: "z@example.com"))
      let other = StateStore(folder: home.folder, log: log)
      #expect(try await other.users().map(\.name) == [name])
    }
  }

  // MARK: - Locked

  @Test func `while another program writes, this one reads, waits for a while, and goes on in memory`() async throws {
    try await StateHome.with { home in
      let store = try await store(home, "Ada", patience: .milliseconds(50))
      try await home.whileLocked("BEGIN IMMEDIATE") {
        #expect(try await store.users().map(\.id) == [1])
        #expect(log.warnings.isEmpty)
        for name in ["Grace", "Alan"] { _ = try await store.add(user(name)) }
        #expect(try await store.users().map(\.name) == ["Ada", "Grace", "Alan"])
        let reason = "SQLite: database is locked (5)"
        #expect(
          log.warnings
            == ["cannot keep data in \(home.folder): \(reason). What is added is lost when this run ends"])
        // Whoever opens it now reads too.
        let other = try await self.store(home, patience: .milliseconds(50))
        #expect(try await other.users().map(\.id) == [1])
        #expect(log.warnings.count == 1)
      }
      #expect(try await home.sql("SELECT id FROM users") == "[[1]]")
    }
  }

  @Test func `a database that another program has to itself is left alone`() async throws {
    try await StateHome.with { home in
      _ = try await store(home, "Ada")
      try await home.whileLocked("BEGIN EXCLUSIVE") {
        let store = try await store(home, patience: .milliseconds(50))
        #expect(try await store.users() == [])
        #expect(try await store.add(user("Grace")).id == 1)
        #expect(log.warnings.count == 1)
      }
      #expect(try await home.sql("SELECT name FROM users") == #"[["Ada"]]"#)
    }
  }

  @Test func `a database that was locked is used again, unless somebody was added in memory`() async throws {
    try await StateHome.with { home in
      let open = try await store(home, "Ada", patience: .milliseconds(50))
      let late = try await store(home, patience: .milliseconds(50))
      let memory = try await store(home, patience: .milliseconds(50))
      try await home.whileLocked("BEGIN EXCLUSIVE") {
        for store in [open, late] {
          for _ in 1...2 { #expect(try await store.users() == []) }
          try await store.keepPort(20_000)
        }
        #expect(try await memory.add(user("Eve")).id == 1)
        #expect(log.warnings.count == 3)
      }
      #expect(try await open.users().map(\.name) == ["Ada"])
      #expect(try await late.add(user("Grace")).id == 2)
      #expect(try await memory.users().map(\.name) == ["Eve"])
      #expect(Array(log.warnings.dropFirst(3)) == Array(repeating: "data is kept in \(home.folder) again", count: 2))
      #expect(try await home.sql("SELECT name FROM users") == #"[["Ada"], ["Grace"]]"#)
    }
  }

  @Test func `a task that is cancelled does not wait for other programs`() async throws {
    try await StateHome.with { home in
      let store = try await store(home, "Ada", patience: .seconds(50))
      try await home.whileLocked("BEGIN EXCLUSIVE") {
        let task = Task { try await store.users() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      #expect(log.warnings.isEmpty)
    }
  }

  // MARK: - Damaged

  @Test(arguments: [100, 5_000]) func `what is no database is set aside with one line, and a new one begins`(
    size: Int
  ) async throws {
    try await StateHome.with { home in
      let noise = Data((0..<size).map { UInt8($0 % 251) })
      for number in 1...5 {
        try home.write(noise, to: home.database)
        let store = try await store(home, "Ada")
        #expect(try await store.users().map(\.id) == [1])
        let reason = "SQLite: file is not a database (26)"
        let name = "\(home.database).corrupt-\(number)"
        #expect(
          log.warnings.last == "\(home.database) is damaged (\(reason)): it is called \(name) now, and a new one begins"
        )
        #expect(log.warnings.count == number)
        // None of them is removed.
        #expect(try Data(contentsOf: URL(filePath: name)) == noise)
      }
    }
  }

  @Test func `another program's database is set aside`() async throws {
    try await StateHome.with { home in
      try home.write(Data(), to: home.database)
      try await home.sql("CREATE TABLE recipes (name TEXT)")
      #expect(try await store(home, "Ada").users().map(\.id) == [1])
      #expect(log.warnings.count == 1)
      #expect(log.warnings.first?.contains("it is another program's") == true)
    }
  }

  @Test func `damage that shows while it is used makes a new one begin`() async throws {
    try await StateHome.with { home in
      try await damage(home)
      let store = try await store(home)
      #expect(try await store.port() == nil)
      #expect(log.warnings.isEmpty)
      #expect(try await store.users() == [])
      #expect(try await store.add(user("Ada")).id == 1)
      #expect(log.warnings.count == 1)
      #expect(try home.names() == ["state.lock", "state.sqlite", "state.sqlite.corrupt-1"])
      #expect(try await home.sql("SELECT name FROM users") == #"[["Ada"]]"#)
    }
  }

  @Test func `a damaged database that others have open stays, and this one goes on in memory`() async throws {
    try await StateHome.with { home in
      try await damage(home)
      let other = try await store(home)
      #expect(try await other.port() == nil)
      let store = try await store(home)
      #expect(try await store.users() == [])
      #expect(try await store.add(user("Ada")).id == 1)
      #expect(log.warnings.count == 1)
      #expect(log.warnings.first?.hasPrefix("cannot keep data in ") == true)
      #expect(try home.names() == ["state.lock", "state.sqlite"])
      #expect(try await other.port() == nil)
    }
  }

  /// Makes a database whose users cannot be read.
  private func damage(_ home: StateHome) async throws {
    _ = try await store(home, "Ada")
    try await home.sql(
      """
      INSERT INTO users WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id < 900)
      SELECT id, 'User', 'somebody@example.com' FROM n
      """)
    let file = try FileHandle(forUpdating: URL(filePath: home.database))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 3 * 4_096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 3 * 4_096))
    try file.close()
  }
}
