/// A part of the pipeline whose own waits all end when the context says so (``RequestContext/onInterruption(_:)``).
///
/// A limit of time ends everything else by cancelling a task that it starts for it. A pipeline of nothing but these parts
/// needs no such task, which costs more than all of their work.
protocol Interruptible {
  /// Whether it is. Default: `true`.
  var isInterruptible: Bool { get }
}

extension Interruptible {
  var isInterruptible: Bool { true }
}
