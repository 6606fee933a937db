package import CloudKitClient
import Foundation
import Synchronization
import Testing

/// The calls of blocks in order.
package final class Transcript: Sendable {
  private let recorded = Mutex<[String]>([])

  package init() {}

  package var lines: [String] { recorded.withLock(\.self) }

  package func note(_ line: String) { recorded.withLock { $0.append(line) } }

  /// Records the result of an item: success, or the code of its error.
  package func note<Value>(_ item: String, _ result: Result<Value, any Error>) {
    switch result {
    case .success: note(item, nil)
    case .failure(let error): note(item, error)
    }
  }

  /// Records “done” if there is no error, the code of a `CKError`, or else the whole error.
  package func note(_ item: String, _ error: (any Error)?) {
    switch error {
    case nil: note("\(item): done")
    case let error as CKError: note("\(item): \(error.code)")
    case let error?: note("\(item): \(error)")
    }
  }
}

extension CKDatabase {
  /// Runs an operation until all its blocks have returned.
  package func carryOut(_ operation: CKDatabaseOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

extension CKContainer {
  /// Runs an operation without a database until all its blocks have returned.
  package func carryOut(_ operation: CKOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

/// The arguments of a completion handler.
package func completion<Value: Sendable>(
  _ begin: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async -> (value: Value?, error: CKError?) {
  await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: ($0, $1 as? CKError)) }
  }
}

/// The result of a completion handler.
package func completionResult<Value: Sendable>(
  _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let result = await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: $0) }
  }
  return try result.get()
}

/// Whether there is a result, and it is a success.
package func succeeded<Value>(_ result: Result<Value, any Error>?) -> Bool {
  if case .success? = result { true } else { false }
}

/// The error of a result that failed; nil for a success, and if there is no result.
///
/// Another error than a `CKError` is an issue of the test.
package func error<Value>(_ result: Result<Value, any Error>?) -> CKError? {
  guard case .failure(let failure)? = result else { return nil }
  guard let error = failure as? CKError else {
    Issue.record(failure)
    return nil
  }
  return error
}
