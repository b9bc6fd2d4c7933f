#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What `cache clear` removes.
enum CacheRemoval: Equatable {
  case all
  case url(URL)
  case prefix(URL)
}

extension CacheRemoval {
  init(_ arguments: ScannedArguments) throws(Failure) {
    if let text = arguments[.url], let url = try Settings.url(text, of: .url) {
      self = .url(url)
    } else if let text = arguments[.prefix], let url = try Settings.url(text, of: .prefix) {
      self = .prefix(url)
    } else {
      self = .all
    }
  }
}
