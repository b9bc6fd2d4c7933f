#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether `error` only says that nobody waits any longer.
func isCancellation(_ error: any Error) -> Bool {
  error is CancellationError || Task.isCancelled
}

/// `error` in a sentence for people.
func message(for error: any Error) -> String {
  (error as? any LocalizedError)?.errorDescription ?? "Something went wrong. Try again in a moment."
}
