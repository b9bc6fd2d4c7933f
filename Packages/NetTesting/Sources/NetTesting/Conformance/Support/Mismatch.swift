import Foundation
import NetCore

/// What a case expected and got.
struct Mismatch: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Why a case says nothing about this transport or cannot be run here.
struct Skip: Error {
  let reason: String
}

/// Throws unless `got` is `expected`.
func expect<Value: Equatable>(_ what: String, _ got: Value, is expected: Value) throws(Mismatch) {
  guard got == expected else { throw Mismatch("expected \(what) to be \(shown(expected)), got \(shown(got))") }
}

/// Throws unless `isTrue`.
func expect(_ what: String, _ isTrue: Bool, got: @autoclosure () -> Any) throws(Mismatch) {
  guard isTrue else { throw Mismatch("expected \(what), got \(got())") }
}

/// Runs `operation`, which must fail with an `APIError` of one of `kinds`.
///
/// - Parameter mayHaveReachedServer: What the error must say of that.
/// - Returns: The error.
@discardableResult
func expectFailure<Value>(
  _ what: String, _ kinds: [APIError.Kind], mayHaveReachedServer: Bool, of operation: () async throws -> Value
) async throws -> APIError {
  let expected = kinds.map { "\($0)" }.joined(separator: " or ")
  let value: Value
  do {
    value = try await operation()
  } catch let error as APIError {
    guard kinds.contains(error.kind) else {
      throw Mismatch("expected \(what) to fail as \(expected), got \(summary(of: error))")
    }
    try expect("mayHaveReachedServer of \(error.kind)", error.mayHaveReachedServer, is: mayHaveReachedServer)
    return error
  } catch {
    throw Mismatch("expected \(what) to fail as \(expected), got \(summary(of: error))")
  }
  throw Mismatch("expected \(what) to fail as \(expected), got \((value as? HTTPResponse)?.summary ?? "a success")")
}

/// Runs `operation`, which must throw `CancellationError`.
func expectCancellation<Value>(_ what: String, of operation: () async throws -> Value) async throws {
  do {
    _ = try await operation()
  } catch is CancellationError {
    return
  } catch {
    throw Mismatch("expected \(what) to throw CancellationError, got \(summary(of: error))")
  }
  throw Mismatch("expected \(what) to throw CancellationError, got a success")
}

/// An error as a failure shows it: of one of the kit's its kind and reason.
func summary(of error: any Error) -> String {
  guard let error = error as? APIError else { return "\(error)" }
  return "APIError \(error.kind): \(error.reason)"
}

/// A value as a failure shows it: of bytes and long texts their size and beginning.
private func shown(_ value: Any) -> String {
  switch value {
  case let bytes as Data: bytes.count > 32 ? "\(bytes.count) bytes" : "\(Array(bytes))"
  case let text as String: "\"\(text.prefix(80))\"" + (text.count > 80 ? "… (\(text.count) characters)" : "")
  default: "\(value)"
  }
}

extension HTTPResponse {
  /// Status and size, for failures.
  fileprivate var summary: String {
    "\(status) with \(body.bufferedBytes.map { "\($0.count) bytes" } ?? "a body")"
  }
}
