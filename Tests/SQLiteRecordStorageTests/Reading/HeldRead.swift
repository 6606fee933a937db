import Dispatch
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// Starts a read that ends with the signal.
///
/// Returns when the read has started.
func holdRead(
  of engine: SQLiteStorageEngine, until mayEnd: DispatchSemaphore
) async throws -> Task<Void, any Error> {
  let (beginnings, began) = AsyncStream<Void>.makeStream()
  let held = Task(executorPreference: ThreadForEachJob()) {
    try await engine.read { store in
      _ = try store.entries(in: .all, limit: 1)
      began.finish()
      #expect(mayEnd.waitPatiently())
    }
  }
  for await _ in beginnings {}
  return held
}
