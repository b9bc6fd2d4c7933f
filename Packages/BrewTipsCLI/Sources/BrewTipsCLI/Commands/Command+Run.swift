import BrewTips
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
    }
  }

  /// The server's tip; when the server fails, and nobody insists, the fallback, and the reason on standard error.
  private func tipOfTheDay(_ settings: Settings, _ recorder: CallRecorder?) async throws -> TipOfTheDay {
    do {
      return try await withServices(settings, recorder: recorder) { try await $0.tips.tipOfTheDay() }
    } catch {
      let failure = Failure(error)
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
