#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response on its way into a store. It is used by one task at a time.
///
/// A writer that is dropped without a commit is abandoned.
public protocol CacheWriter: Sendable {
  /// Adds bytes to the body. The response is read no faster than this returns.
  func append(_ bytes: Data) async throws

  /// Makes the response visible, at once and as a whole. When it returns, the response survives the end of the process in
  /// a store that keeps anything beyond it.
  func commit() async throws

  /// Gives up: nothing is kept. May come from any thread, more than once, and after a commit, which it leaves alone.
  func abandon()
}
