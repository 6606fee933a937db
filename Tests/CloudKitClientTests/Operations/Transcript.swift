import CloudKitClient
import Foundation
import Synchronization

/// What blocks were told, one after the other.
final class Transcript: Sendable {
  private let told = Mutex<[String]>([])

  var lines: [String] { told.withLock(\.self) }

  func note(_ line: String) { told.withLock { $0.append(line) } }

  /// Notes what became of something: that it is done, or the code of its error.
  func note<Value>(_ item: String, _ result: Result<Value, any Error>) { note(item, error(result)) }

  func note(_ item: String, _ error: (any Error)?) {
    note("\(item): \((error as? CKError).map { "\($0.code)" } ?? "done")")
  }
}

extension CKDatabase {
  /// Carries an operation out, up to behind all of its blocks.
  func carryOut(_ operation: CKDatabaseOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

extension CKContainer {
  /// Carries an operation out that is about no database, up to behind all of its blocks.
  func carryOut(_ operation: CKOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }
}

/// What a completion handler is told.
func told<Value: Sendable>(
  _ begin: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
) async -> (value: Value?, error: CKError?) {
  await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: ($0, $1 as? CKError)) }
  }
}

/// What a completion handler is told that takes a result.
func toldResult<Value: Sendable>(
  _ begin: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  let result = await withCheckedContinuation { continuation in
    begin { continuation.resume(returning: $0) }
  }
  return try result.get()
}
