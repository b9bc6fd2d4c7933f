/// What the command line asks for: `chaos [--requests N] [--seed N] [--patience SECONDS]`.
struct Options: Sendable {
  /// How many requests are sent in all.
  var requests = 20_000
  /// Everything that is left to chance follows from it.
  var seed = UInt64.random(in: 0...999_999_999)
  /// How long a silent server is borne. A request that lasts ten times as long, and 20 seconds, is a hang.
  var patience = Duration.seconds(1)

  static let inFlight = 64
  /// In how many legs the requests are sent. Each has a transport of its own, so that nothing may be left after it.
  static let legs = 10

  init(_ words: some Collection<String>) {
    var rest = words.makeIterator()
    while let option = rest.next() {
      switch (option, rest.next().flatMap { Int($0) }) {
      case ("--requests", let count?) where count >= Self.legs: requests = count
      case ("--seed", let seed?) where seed >= 0: self.seed = UInt64(seed)
      case ("--patience", let seconds?) where seconds > 0: patience = .seconds(seconds)
      default: fatalError("usage: chaos [--requests N] [--seed N] [--patience SECONDS]")
      }
    }
  }
}
