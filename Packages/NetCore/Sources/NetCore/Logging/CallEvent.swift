/// Something that happened in a call, for whoever watches: logs, metrics, a trace.
public struct CallEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// An attempt sends this request.
    case request(HTTPRequest)
    /// An attempt's response is there, with its whole body when that is collected; so long after the request.
    case response(HTTPResponse, after: Duration)
    /// An attempt failed so long after its request; a cancelled one fails with `CancellationError`.
    case attemptFailed(any Error, after: Duration)
    /// The call joined the exchange of an equal one.
    case coalesced
    /// The request will be sent again after a wait, and why.
    case retry(reason: String, wait: Duration)
    /// The response redirects to another URL, which is asked for next.
    case redirected(Redirect)
    /// The server refused the credentials; after so long there are new ones, with which the request is sent again.
    case renewedCredentials(after: Duration)
    /// An attempt waited so long for its turn under the client's own limits (``ConcurrencyLimit``, ``RateLimit``), whether it
    /// came or not.
    case queued(for: Duration)
    /// The ``CircuitBreaker`` treats the host (scheme, host and port) in another way from now on.
    case circuit(CircuitBreaker.State, origin: String)
    /// The call ended so long after it began, with an error or well; one whose body is read as it arrives ends with that.
    case finished((any Error)?, after: Duration)
  }

  /// Numbers the calls of one client, from 1.
  public let call: Int
  /// The call's name.
  public let endpointName: String
  /// The attempt the event belongs to, from 1.
  public let attempt: Int
  /// What happened.
  public let kind: Kind
}

/// Watches calls. It is told in order, within the call, and must return quickly.
public protocol CallObserver: Sendable {
  /// Something happened.
  func observe(_ event: CallEvent)
}

/// Hands a call's events to its observers. Without observers it does nothing.
struct EventEmitter: Sendable {
  var call = 0
  var observers: [any CallObserver] = []

  var isWatched: Bool { !observers.isEmpty }

  func emit(_ kind: @autoclosure () -> CallEvent.Kind, endpointName: String, attempt: Int) {
    guard isWatched else { return }
    let event = CallEvent(call: call, endpointName: endpointName, attempt: attempt, kind: kind())
    for observer in observers { observer.observe(event) }
  }
}
