import BrewTips
import NetCache
import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Command {
  /// Does what the command says, and prints the result.
  ///
  /// - Parameter recorder: Is told of all calls.
  func run(_ settings: Settings, recorder: CallRecorder?) async throws {
    switch self {
    case .today:
      let today = try await tipOfTheDay(settings, recorder)
      try settings.printsJSON ? printJSON(TipReport(today)) : Console.write(today.text.printable())
    case .listUsers:
      let users = try await withServices(settings, recorder: recorder) { try await $0.users.users() }
      if settings.printsJSON {
        try printJSON(users)
      } else if users.isEmpty {
        Console.complain(["there are no users yet: add one with brewtips users add NAME EMAIL"])
      } else {
        try Console.write(users.map(\.line).joined(separator: "\n"))
      }
    case .getUser(let id):
      let user = try await withServices(settings, recorder: recorder) { try await $0.users.user(id: id) }
      try print(user, asJSON: settings.printsJSON)
    case .addUser(let name, let email):
      let user = try await withServices(settings, recorder: recorder) {
        try await $0.users.createUser(name: name, email: email)
      }
      try print(user, asJSON: settings.printsJSON)
    case .serve:
      try await runServer(settings)
    case .cacheInfo:
      let info = try await diskCache().info()
      try settings.printsJSON ? printJSON(CacheReport(info)) : Console.write(info.line)
    case .clearCache:
      let removed = try await clearCache(settings.removal)
      try settings.printsJSON ? printJSON(["removed": removed]) : Console.write("removed \(count(removed, "answer"))")
    case .download(let url):
      let file = try await downloadFile(url, settings, recorder)
      try settings.printsJSON ? printJSON(FileReport(file)) : Console.write(file.url.path.printable())
    case .upload(let path, let url):
      let answer = try await uploadFile(path, to: url, settings, recorder)
      if settings.printsJSON { try printJSON(answer) } else if !answer.isEmpty { try Console.write(answer.printable()) }
    }
  }

  /// The server's tip; when the server fails, and nobody insists, the fallback, and the reason on standard error.
  private func tipOfTheDay(_ settings: Settings, _ recorder: CallRecorder?) async throws -> TipOfTheDay {
    do {
      let today = try await withServices(settings, recorder: recorder) { try await $0.tips.tipOfTheDay() }
      if today.source == .stale {
        Console.complain(["this tip is \(today.age.inWords) old: there was no newer one to be had"])
      }
      return today
    } catch {
      let failure = error as? Failure ?? Failure(error)
      guard !settings.isStrict, failure.code.isServersFault else { throw error }
      Console.complain(["here is a tip of our own. " + failure.lines[0]] + failure.lines.dropFirst())
      return .fallback
    }
  }

  private func print(_ user: User, asJSON: Bool) throws {
    try asJSON ? printJSON(user) : Console.write(user.line)
  }

  private func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try Console.write(String(decoding: encoder.encode(value), as: UTF8.self).escapingControls)
  }
}

extension Command {
  /// Removes stored answers; how many there were.
  private func clearCache(_ removal: CacheRemoval) async throws -> Int {
    let cache = diskCache()
    let before = try await cache.info().entries
    switch removal {
    case .all: try await cache.clear()
    case .url(let url): try await cache.clear(url: url)
    case .prefix(let prefix): try await cache.clear(prefix: prefix)
    }
    return try await max(0, before - cache.info().entries)
  }
}

/// What `cache info --json` prints.
private struct CacheReport: Encodable {
  let answers: Int
  let bytes: Int64
  let folder: String

  init(_ info: CacheInfo) {
    (answers, bytes, folder) = (info.entries, info.bytes, cacheFolder)
  }
}

extension CacheInfo {
  /// `12 answers, 3400 bytes, in ~/.cache/brewtips` (in full)
  fileprivate var line: String {
    "\(count(entries, "answer")), \(count(Int(bytes), "byte")), in \(cacheFolder)".printable()
  }
}

/// `1 answer`, `2 answers`
private func count(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

extension Duration {
  /// The whole days, hours, minutes or seconds: `3 hours`.
  fileprivate var inWords: String {
    let seconds = Int(components.seconds)
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60)]
    guard let (noun, size) = units.first(where: { seconds >= $0.1 }) else { return count(seconds, "second") }
    return count(seconds / size, noun)
  }
}

/// What `download --json` prints.
private struct FileReport: Encodable {
  let path: String
  let bytes: Int64

  init(_ file: DownloadedFile) {
    path = file.url.path
    bytes = file.size
  }
}

/// What `today --json` prints.
private struct TipReport: Encodable {
  let tip: String
  let source: TipOfTheDay.Source
  let ageSeconds: Int64

  private enum CodingKeys: String, CodingKey {
    case tip, source
    case ageSeconds = "age_seconds"
  }

  init(_ today: TipOfTheDay) {
    tip = today.text
    source = today.source
    ageSeconds = today.age.components.seconds
  }
}

extension User {
  /// The user on one line: `1  Ada Lovelace <ada@example.com>`.
  fileprivate var line: String {
    "\(id)  \(name) <\(email)>".printable()
  }
}
