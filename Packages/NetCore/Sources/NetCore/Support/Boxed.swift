/// An optional value on the heap: for a large part of a struct that most have not, or that is looked at rarely, so that
/// copying the struct stays cheap.
struct Boxed<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var box: Box?

  init(_ value: Value? = nil) {
    box = value.map(Box.init)
  }

  var value: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }
}

extension Boxed: Equatable where Value: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    one.box === other.box || one.value == other.value
  }
}

extension Boxed: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}
