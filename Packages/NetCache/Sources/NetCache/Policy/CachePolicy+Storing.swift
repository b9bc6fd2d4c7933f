import NetCore

extension CachePolicy {
  /// Whether a response may be stored as the answer to a request (RFC 9111, section 3).
  func mayStore(_ response: StoredHead, for request: RequestFacts) -> Bool {
    let facts = response.facts
    guard request.method == .get, !request.isNoStore, facts.vary != nil else { return false }
    // A part is never stored, nor what else a request for a part brings but the whole (RFC 9111, section 3.3).
    guard request.range == nil || response.status == .ok else { return false }
    let flags = facts.control.flags
    if flags.contains(.mustUnderstand) {
      // Stands before no-store, which tells caches that do not know it (RFC 9111, section 5.2.2.3).
      guard response.status.isUnderstood else { return false }
    } else if flags.contains(.noStore) {
      return false
    }
    return response.status.isStorable
      && (response.status.isHeuristicallyCacheable || facts.explicitLifetime != nil
        || !flags.isDisjoint(with: [.isPublic, .isPrivate]))
  }

  /// Whether a newer response means that a stored one is no longer the resource's: not when it only tells of trouble, of
  /// credentials, or is a part of it.
  func supersedes(_ response: HTTPResponse) -> Bool {
    switch response.status.code {
    case 206: false
    case 200...399, 404, 410: true
    default: false
    }
  }

  /// Whether a response to a method that may change something makes stored ones invalid (RFC 9111, section 4.4).
  func invalidates(_ response: HTTPResponse, to method: HTTPRequest.Method) -> Bool {
    // An attempt before the last may have acted: a DELETE that is sent again finds nothing.
    !method.isSafe && ((200...399).contains(response.status.code) || !response.info.failures.isEmpty)
  }

  /// Whether a request that failed may have changed the resource all the same, as far as the client can tell.
  func mayInvalidate(_ error: any Error, to method: HTTPRequest.Method) -> Bool {
    !method.isSafe && (error as? APIError)?.mayHaveReachedServer ?? true
  }
}

extension HTTPResponse.Status {
  /// Whether a response with the status can be stored at all: it is final, whole, about the resource and not the
  /// credentials.
  fileprivate var isStorable: Bool {
    switch code {
    case ..<200, 206, 304, 401, 407: false
    default: true
    }
  }

  /// Whether this cache knows what the status asks of caches.
  fileprivate var isUnderstood: Bool { !reasonPhrase.isEmpty && isStorable }
}
