import NetCore

/// Decides when an exchange may begin: no more at a time with one host, and no more in all, than the limits allow; first
/// come, first served.
///
/// libcurl has limits and a queue of its own. They are not used: versions in use (7.88, for one) forget transfers in it.
struct WaitingLine {
  /// The exchanges with one scheme, host and port.
  final class Host {
    let origin: String
    fileprivate var active = 0
    /// Whether a connection has shown if the host takes many requests on one. Until then, one exchange goes ahead.
    fileprivate var isOpen: Bool
    fileprivate var waiting = Queue<Place>()
    fileprivate var isHeldBack = false

    fileprivate init(_ request: WireRequest) {
      origin = request.origin
      isOpen = !request.mayShareConnection
    }
  }

  /// An exchange in the line, since a moment of its loop's time.
  struct Place {
    let exchange: Exchange
    let host: Host
    let since: Duration
  }

  private let limits: CurlTransport.ConnectionLimits
  private var hosts: [String: Host] = [:]
  private var active = 0
  /// Hosts whose next exchange waits for the limit of all.
  private var hostsHeldBack = Queue<Host>()
  /// Hosts that may begin more since something ended or connected.
  private var changedHosts: [Host] = []

  init(limits: CurlTransport.ConnectionLimits) {
    self.limits = limits
  }

  /// Whether no exchange is active or waits.
  var isEmpty: Bool { hosts.isEmpty }

  /// Whether ``next()`` may have something to give.
  var hasChanged: Bool { !changedHosts.isEmpty }

  /// Adds an exchange at the end.
  mutating func add(_ exchange: Exchange, since now: Duration) {
    let host = hosts[exchange.request.origin] ?? Host(exchange.request)
    hosts[host.origin] = host
    host.waiting.append(Place(exchange: exchange, host: host, since: now))
    changedHosts.append(host)
  }

  /// Takes the next exchange that may begin; `nil` when none may.
  mutating func next() -> Place? {
    while active < limits.total, let host = hostsHeldBack.popFirst() {
      host.isHeldBack = false
      changedHosts.append(host)
      if let place = next(of: host) { return place }
    }
    while let host = changedHosts.last {
      if let place = next(of: host) { return place }
      changedHosts.removeLast()
      removeIfEmpty(host)
    }
    return nil
  }

  private mutating func next(of host: Host) -> Place? {
    while let first = host.waiting.first, host.active < (host.isOpen ? limits.perHost : 1) {
      guard active < limits.total else {
        if !host.isHeldBack { hostsHeldBack.append(host) }
        host.isHeldBack = true
        return nil
      }
      _ = host.waiting.popFirst()
      guard !first.exchange.isEnded else { continue }
      host.active += 1
      active += 1
      return first
    }
    return nil
  }

  /// An exchange that had begun has its connection.
  mutating func didConnect(_ place: Place) {
    guard !place.host.isOpen else { return }
    place.host.isOpen = true
    changedHosts.append(place.host)
  }

  /// An exchange that had begun has ended.
  mutating func didEnd(_ place: Place) {
    active -= 1
    place.host.active -= 1
    if !place.host.waiting.isEmpty || !hostsHeldBack.isEmpty { changedHosts.append(place.host) }
    removeIfEmpty(place.host)
  }

  /// Takes out those that have waited since `moment` or longer, and forgets those that were given up.
  mutating func removeLate(since moment: Duration) -> [Exchange] {
    var late: [Exchange] = []
    for host in hosts.values where !host.waiting.isEmpty {
      host.waiting.removeAll { place in
        if place.since <= moment { late.append(place.exchange) }
        return place.since <= moment || place.exchange.isEnded
      }
      removeIfEmpty(host)
    }
    return late
  }

  /// Since when the first of those that wait does; `nil` when none does.
  var oldest: Duration? {
    hosts.values.lazy.compactMap(\.waiting.first?.since).min()
  }

  private mutating func removeIfEmpty(_ host: Host) {
    guard host.active == 0, host.waiting.isEmpty, hosts[host.origin] === host else { return }
    hosts[host.origin] = nil
  }
}

/// First in, first out.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer { dropHead() }
    return elements[head]
  }

  private mutating func dropHead() {
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64, head > elements.count / 2 {
      // Each element is moved once at most for each that was taken.
      elements.removeFirst(head)
      head = 0
    }
  }

  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    elements = elements[head...].filter { $0.map { !isUnwanted($0) } ?? false }
    head = 0
  }
}
