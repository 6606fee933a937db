package import ObjectRows
import SQLiteDriver

extension SQLiteRowStore {
  package func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    if changes.isEmpty { return .saved(StoreSaveReceipt()) }
    let isAwaited = companion?.repeats(changes) != true
    return try pool.save(isAwaited: isAwaited) { connection in
      let outcome = try SaveTransaction(changes, self, connection).run()
      guard case .saved = outcome else { return (outcome, false) }
      // The save has committed: a failure to release pages does not make it fail.
      if !changes.deleted.isEmpty { try? connection.releaseFreePages() }
      return (outcome, true)
    }
  }

  package func conflicts(of changes: StoreChanges) throws -> [StoreConflict] {
    if changes.isEmpty { return [] }
    return try pool.write { connection in try SaveTransaction(changes, self, connection).check() }
  }

  package func reserveRanges(
    _ counts: [(layout: RowLayout, count: Int)], forSave: Bool
  ) throws -> [Range<Int64>] {
    let reservation = try KeyReservation(counts, schema)
    // The save that uses the keys follows the counters in the log, so its sync covers the counters.
    return forSave
      ? try pool.writeUnawaited { try reservation.run(on: $0) }
      : try pool.write { try reservation.run(on: $0) }
  }
}
