import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which stubs answer the requests of which session: by the identity of the session's protocol class.
///
/// A class is all of a session that a `URLProtocol` sees on every platform, so each set of stubs gets one of its own,
/// minted as a specialisation of a generic class and never used again. Class and route outlive the test, about 1 KB for
/// each that asked for a configuration, since a session may send a request long after.
enum StubRoutes {
  /// The stubs of a session, and who is told about requests that come when they are gone.
  struct Route: Sendable {
    weak let stubs: Stubs?
    let owner: StubOwner
  }

  private struct State {
    var lastNumber = 0
    var routes: [ObjectIdentifier: Route] = [:]
  }

  private static let state = Mutex(State())

  /// A class that no other session has, whose requests `stubs` answer.
  static func mint(for stubs: Stubs) -> URLProtocol.Type {
    state.withLock { state in
      state.lastNumber += 1
      let minted = protocolClass(number: state.lastNumber)
      state.routes[ObjectIdentifier(minted)] = Route(stubs: stubs, owner: stubs.owner)
      return minted
    }
  }

  /// Whose class it is.
  static func route(of protocolClass: URLProtocol.Type) -> Route {
    guard let route = state.withLock({ $0.routes[ObjectIdentifier(protocolClass)] }) else {
      preconditionFailure("\(protocolClass) was not minted by StubRoutes")
    }
    return route
  }

  private static func protocolClass(number: Int) -> URLProtocol.Type {
    func specialised<Digits: BinaryDigits>(_: Digits.Type) -> URLProtocol.Type { StubURLProtocol<Digits>.self }
    return specialised(digits(of: number))
  }

  /// `number` as a type: one type for each number, nested as deep as it has binary digits.
  private static func digits(of number: Int) -> any BinaryDigits.Type {
    func zero<Rest: BinaryDigits>(_: Rest.Type) -> any BinaryDigits.Type { Zero<Rest>.self }
    func one<Rest: BinaryDigits>(_: Rest.Type) -> any BinaryDigits.Type { One<Rest>.self }
    guard number > 0 else { return NoDigits.self }
    let rest = digits(of: number >> 1)
    return number & 1 == 0 ? zero(rest) : one(rest)
  }
}

/// A number in binary, as a type.
protocol BinaryDigits: SendableMetatype {}
private enum NoDigits: BinaryDigits {}
private enum Zero<Rest: BinaryDigits>: BinaryDigits {}
private enum One<Rest: BinaryDigits>: BinaryDigits {}
