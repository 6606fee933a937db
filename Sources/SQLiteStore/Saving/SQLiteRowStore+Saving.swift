package import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  package func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    if changes.isEmpty { return .saved(StoreSaveReceipt()) }
    return try pool.write { connection in
      let outcome = try SaveTransaction(changes, self, connection).run()
      if case .saved = outcome, !changes.deleted.isEmpty {
        // The save is done: that pages stay in the file for another while is no failure of it.
        try? connection.releaseFreePages()
      }
      return outcome
    }
  }

  package func reserveKeys(_ counts: [(layout: RowLayout, count: Int)]) throws -> [ContiguousArray<Int64>] {
    try pool.write { connection in try KeyReservation(counts, schema).run(on: connection) }
  }
}
