extension Stubs {
  /// A transport that these stubs answer: no network, no session, the fast and default tier.
  public var transport: ClosureTransport {
    ClosureTransport { [self] in try await answer($0) }
  }
}
