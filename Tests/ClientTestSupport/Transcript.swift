package import CloudKitClient
import Foundation
import Synchronization

/// What blocks were told, one after the other.
package final class Transcript: Sendable {
  private let told = Mutex<[String]>([])

  package init() {}

  package var lines: [String] { told.withLock(\.self) }

  package func note(_ line: String) { told.withLock { $0.append(line) } }

  /// Notes what became of something: that it is done, or the code of its error.
  package func note<Value>(_ item: String, _ result: Result<Value, any Error>) {
    note(item, error(result))
  }

  package func note(_ item: String, _ error: (any Error)?) {
    note("\(item): \((error as? CKError).map { "\($0.code)" } ?? "done")")
  }
}

extension CKDatabase {
  /// Carries an operation out, up to behind all of its blocks.
  package func carryOut(_ operation: CKDatabaseOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

extension CKContainer {
  /// Carries an operation out that is about no database, up to behind all of its blocks.
  package func carryOut(_ operation: CKOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

/// What a completion handler is told.
package func told<Value: Sendable>(
  _ begin: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async -> (value: Value?, error: CKError?) {
  await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: ($0, $1 as? CKError)) }
  }
}

/// What a completion handler is told that takes a result.
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
