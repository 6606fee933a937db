package import CloudKitClient
import Foundation
import Synchronization

/// The calls of blocks in order.
package final class Transcript: Sendable {
  private let told = Mutex<[String]>([])

  package init() {}

  package var lines: [String] { told.withLock(\.self) }

  package func note(_ line: String) { told.withLock { $0.append(line) } }

  /// Records the result of an item: success, or the code of its error.
  package func note<Value>(_ item: String, _ result: Result<Value, any Error>) {
    note(item, error(result))
  }

  package func note(_ item: String, _ error: (any Error)?) {
    note("\(item): \((error as? CKError).map { "\($0.code)" } ?? "done")")
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
package func told<Value: Sendable>(
  _ begin: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async -> (value: Value?, error: CKError?) {
  await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: ($0, $1 as? CKError)) }
  }
}

/// The result of a completion handler.
package func toldResult<Value: Sendable>(
  _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let result = await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: $0) }
  }
  return try result.get()
}

/// The error of a result that failed.
package func error<Value>(_ result: Result<Value, any Error>?) -> CKError? {
  if case .failure(let error)? = result { error as? CKError } else { nil }
}
