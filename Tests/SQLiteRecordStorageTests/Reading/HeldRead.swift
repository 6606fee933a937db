import Dispatch
import RecordStorage
import SQLiteRecordStorage
import TestSupport
import Testing

/// Begins to read, and ends with the signal; returns when it has begun.
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
