#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a memory store holds: the variants of each key, and the keys in the order of their last use.
///
/// The order is a list within an array: every slot knows the slots used next before and after it. All operations but removals
/// by prefix and partition take constant time.
struct MemoryTable {
  private struct Slot {
    var key: CacheKey
    var variants: [StoredResponse]
    var size: Int64
    /// The slot that was used next after this one.
    var newer: Int
    /// The slot that was used last before this one.
    var older: Int
  }

  private static let end = -1

  private let limits: CacheLimits
  private var slots: [Slot] = []
  private var free: [Int] = []
  /// The slots of each URL, one for each partition.
  private var places: [String: [Int]] = [:]
  private var newest = end
  private var oldest = end
  private var lastNumber: Int64 = 0
  private(set) var entries = 0
  private(set) var bytes: Int64 = 0

  init(_ limits: CacheLimits) {
    self.limits = limits
  }

  mutating func responses(for key: CacheKey) -> [StoredResponse] {
    guard let place = place(of: key) else { return [] }
    use(place)
    return slots[place].variants
  }

  mutating func insert(_ head: StoredHead, body: Data) {
    lastNumber += 1
    let response = StoredResponse(id: lastNumber, head: head, length: Int64(body.count), body: body)
    let place = place(of: head.key) ?? makeSlot(for: head.key)
    use(place)
    change(place) { [most = limits.variants] variants in
      variants.removeAll { $0.head.variant == head.variant }
      variants.append(response)
      if variants.count > most { variants.removeFirst() }
    }
    while oldest != Self.end, entries > limits.entries || bytes > limits.bytes { removeSlot(oldest) }
  }

  mutating func update(_ id: StoredResponse.ID, to head: StoredHead) {
    guard let place = place(of: head.key), let index = slots[place].variants.firstIndex(where: { $0.id == id })
    else { return }
    change(place) { variants in
      let old = variants[index]
      variants[index] = StoredResponse(id: id, head: head, length: old.length, body: old.body)
    }
  }

  mutating func remove(_ selection: CacheSelection) {
    switch selection {
    case .all:
      (slots, free, places) = ([], [], [:])
      (newest, oldest, entries, bytes) = (Self.end, Self.end, 0, 0)
    case .url(let url):
      for place in places[url] ?? [] { removeSlot(place) }
    case .prefix(let prefix):
      removeSlots { $0.url.utf8.starts(with: prefix.utf8) }
    case .partition(let partition):
      removeSlots { $0.partition == partition }
    case .response(let id, let key):
      guard let place = place(of: key) else { return }
      change(place) { $0.removeAll { $0.id == id } }
      if slots[place].variants.isEmpty { removeSlot(place) }
    }
  }

  private func place(of key: CacheKey) -> Int? {
    places[key.url]?.first { slots[$0].key.partition == key.partition }
  }

  private mutating func removeSlots(where isMeant: (CacheKey) -> Bool) {
    for place in places.values.joined() where isMeant(slots[place].key) { removeSlot(place) }
  }

  /// Changes the variants of a slot, and keeps the count of them and of their bytes.
  private mutating func change(_ place: Int, _ body: (inout [StoredResponse]) -> Void) {
    entries -= slots[place].variants.count
    bytes -= slots[place].size
    body(&slots[place].variants)
    slots[place].size = slots[place].variants.reduce(0) { $0 + $1.length + $1.head.size }
    entries += slots[place].variants.count
    bytes += slots[place].size
  }

  private mutating func makeSlot(for key: CacheKey) -> Int {
    let slot = Slot(key: key, variants: [], size: 0, newer: Self.end, older: newest)
    let place = free.popLast() ?? slots.endIndex
    if place == slots.endIndex { slots.append(slot) } else { slots[place] = slot }
    link(place)
    places[key.url, default: []].append(place)
    return place
  }

  private mutating func removeSlot(_ place: Int) {
    change(place) { $0 = [] }
    unlink(place)
    let url = slots[place].key.url
    places[url]?.removeAll { $0 == place }
    if places[url]?.isEmpty == true { places[url] = nil }
    free.append(place)
  }

  /// Makes a slot the one that was used last.
  private mutating func use(_ place: Int) {
    guard place != newest else { return }
    unlink(place)
    link(place)
  }

  private mutating func link(_ place: Int) {
    slots[place].older = newest
    slots[place].newer = Self.end
    if newest == Self.end { oldest = place } else { slots[newest].newer = place }
    newest = place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if newer == Self.end { newest = older } else { slots[newer].older = older }
    if older == Self.end { oldest = newer } else { slots[older].newer = newer }
  }
}
