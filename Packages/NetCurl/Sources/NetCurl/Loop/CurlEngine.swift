import CCurl
import CCurlShim
import NetCore

/// What runs on a loop's thread, and the only one to touch its libcurl handles.
final class CurlEngine {
  let configuration: CurlTransport.Configuration
  let loop: CurlLoop
  let bufferPool = BufferPool()
  /// The time since the thread began, as of this turn.
  private(set) var now = Duration.zero
  private let multi: UnsafeMutableRawPointer
  private let started = ContinuousClock.now
  private let shortestLimit: Duration?
  private var commands: [CurlLoop.Command] = []
  private var line: WaitingLine
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  private var spareTransfers: [Transfer] = []
  private var touchedTransfers: [Transfer] = []
  /// When a limit of time may pass at the earliest; `nil` when none may.
  private var nextCheck: Duration?
  private var lastActivity = Duration.zero

  /// Spare handles beyond these are freed.
  private static let maximumSpareTransfers = 128

  init(loop: CurlLoop, multi: UnsafeMutableRawPointer) {
    self.loop = loop
    self.multi = multi
    configuration = loop.configuration
    shortestLimit = configuration.limits.all.min()
    line = WaitingLine(limits: configuration.connections)
    netcurl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    netcurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.connections.total)
  }

  /// Runs until the loop says that it has ended.
  func run() {
    var runningTransfers: Int32 = 0
    while true {
      now = started.duration(to: .now)
      obeyCommands()
      beginExchanges()
      curl_multi_perform(multi, &runningTransfers)
      endFinishedTransfers()
      flushTouchedTransfers()
      endLate()
      if line.hasChanged { continue }
      if !line.isEmpty { lastActivity = now }
      let idleTime = now - lastActivity
      switch loop.nextStep(isIdle: line.isEmpty, isExpired: idleTime >= configuration.connections.idleLifetime) {
      case .work: continue
      case .poll: curl_multi_poll(multi, nil, 0, pollTimeout(idleFor: idleTime), nil)
      case .end: return
      }
    }
  }

  private func pollTimeout(idleFor idleTime: Duration) -> Int32 {
    let wait = line.isEmpty ? configuration.connections.idleLifetime - idleTime : nextCheck.map { $0 - now }
    guard let wait else { return 60_000 }
    return Int32(clamping: max(0, wait.milliseconds + 1))
  }

  private func obeyCommands() {
    loop.takeCommands(into: &commands)
    for command in commands {
      switch command {
      case .start(let exchange): add(exchange)
      case .proceed(let exchange): transfers[ObjectIdentifier(exchange)]?.proceed()
      case .abandon(let exchange): abandon(exchange)
      case .abandonAll: abandonAll()
      }
    }
    commands.removeAll(keepingCapacity: true)
  }

  private func add(_ exchange: Exchange) {
    guard !exchange.isEnded else { return }
    line.add(exchange, since: now)
    if let shortestLimit { checkTime(at: now + shortestLimit) }
  }

  private func beginExchanges() {
    while let place = line.next() {
      do {
        try begin(place)
      } catch {
        place.exchange.end(.failed(error))
        line.didEnd(place)
      }
    }
  }

  private func begin(_ place: WaitingLine.Place) throws {
    let transfer = try spareTransfers.popLast() ?? Transfer(engine: self)
    try transfer.prepare(place)
    try Libcurl.check(curl_multi_add_handle(multi, transfer.easy))
    transfers[ObjectIdentifier(place.exchange)] = transfer
  }

  /// The connection for a place in the line is there.
  func didConnect(_ place: WaitingLine.Place) {
    line.didConnect(place)
  }

  private func abandon(_ exchange: Exchange) {
    guard let transfer = transfers[ObjectIdentifier(exchange)] else { return }
    remove(transfer)
  }

  private func abandonAll() {
    for exchange in line.removeLate(since: now) { exchange.cancel() }
    for transfer in transfers.values { transfer.place?.exchange.cancel() }
  }

  private func endFinishedTransfers() {
    var code = CURLE_OK
    while let easy = netcurl_next_ended(multi, &code) {
      end(Transfer.of(netcurl_get_context(easy)), with: code)
    }
  }

  /// Ends a transfer with libcurl's verdict.
  func end(_ transfer: Transfer, with code: CURLcode) {
    transfer.end(code)
    remove(transfer)
  }

  // MARK: Time

  private func checkTime(at moment: Duration) {
    nextCheck = min(nextCheck ?? moment, moment)
  }

  /// Ends what a limit of time has passed for.
  ///
  /// The next check is never further off than the shortest limit, so that one that begins in between is not missed.
  private func endLate() {
    guard let check = nextCheck, check <= now else { return }
    nextCheck = nil
    endLateWaits()
    for transfer in transfers.values {
      guard let deadline = transfer.deadline else { continue }
      if deadline <= now {
        transfer.endLate()
        remove(transfer)
      } else {
        checkTime(at: deadline)
      }
    }
    if let shortestLimit, !line.isEmpty { checkTime(at: now + shortestLimit) }
  }

  private func endLateWaits() {
    let limits: [(Duration?, TransportFailure.Phase)] = [
      (configuration.limits.connect, .connect), (configuration.limits.attempt, .attempt),
    ]
    for case (let limit?, let phase) in limits {
      for exchange in line.removeLate(since: now - limit) {
        exchange.end(.failed(APIError.timedOut(phase, afterRequest: false)))
      }
      if let oldest = line.oldest { checkTime(at: oldest + limit) }
    }
  }

  /// Takes a transfer out of libcurl, which closes its connection if it has not ended.
  private func remove(_ transfer: Transfer) {
    guard let place = transfer.place else { return }
    transfers[ObjectIdentifier(place.exchange)] = nil
    curl_multi_remove_handle(multi, transfer.easy)
    transfer.reset()
    line.didEnd(place)
    if spareTransfers.count < Self.maximumSpareTransfers { spareTransfers.append(transfer) }
  }

  /// Has `transfer` hand over what it received, at the end of this turn.
  func touch(_ transfer: Transfer) {
    touchedTransfers.append(transfer)
  }

  private func flushTouchedTransfers() {
    // A transfer that goes on after a pause brings more at once.
    while let transfer = touchedTransfers.popLast() { transfer.flush() }
  }
}

extension Duration {
  /// The whole milliseconds, of at most a century.
  var milliseconds: Int64 {
    min(components.seconds, 3_155_760_000) * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
