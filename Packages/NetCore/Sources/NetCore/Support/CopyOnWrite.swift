/// A value on the heap, which its copies share until one of them changes.
///
/// A message passes through many stages, and each holds it while it waits: a pointer keeps what they hold small, where a
/// large struct would fill kilobytes a call.
struct CopyOnWrite<Value: Sendable>: Sendable {
  /// `value` changes only while there is one reference to the box, so that nobody else can see it.
  private final class Box: @unchecked Sendable {
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var box: Box

  init(_ value: Value) {
    box = Box(value)
  }

  var value: Value {
    get { box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension CopyOnWrite: Equatable where Value: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.box === other.box || one.value == other.value
  }
}

extension CopyOnWrite: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}
