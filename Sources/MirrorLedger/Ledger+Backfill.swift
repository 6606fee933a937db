import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Filling the outbox other than by saves.
extension Ledger {
  /// Enqueues one step of the existing objects, in a separate transaction.
  ///
  /// Returns false at the end. The next call continues after this step, also in a later process.
  package func backfill() throws -> Bool {
    if try isBackfilled { return false }
    return try write { connection in
      guard let progress = Backfill(try connection.state(.backfilled)) else { return false }
      try recorder.catchUp(with: store, on: connection)
      var coalescer = recorder.makeCoalescer(on: connection)
      let next = try BackfillStep(store: store, names: names, connection: connection).run(
        progress, &coalescer)
      try connection.setState(.backfilled, to: next?.value ?? Backfill.done)
      try connection.recordFilling()
      return next != nil
    }
  }

  /// Enqueues missed saves and existing objects, and finishes large moves.
  ///
  /// If part of the history was lost, everything is sent again.
  package func completeOutbox() throws {
    try catchUp()
    while try backfill() {}
    try sharedZones.finishMoves()
  }

  /// Returns how often entries were enqueued that may precede those at a position in the outbox.
  package func filling() throws -> Int64 { try store.pool.read { try $0.stateNumber(.filling) } }

  /// Whether the backfill has enqueued all existing objects.
  package var isBackfilled: Bool { get throws { try state(.backfilled) == Backfill.done } }

  /// Coalesces saves that this ledger missed, from the history.
  package func catchUp() throws {
    let isBehind = try read { try $0.noted() < store.latestHistoryNumber(on: $0) }
    if isBehind { try write { try recorder.catchUp(with: store, on: $0) } }
  }
}

extension Connection {
  /// Records that entries are enqueued other than by saves: their groups may precede pending ones.
  func recordFilling() throws(SQLiteError) {
    try setState(.filling, to: .integer(stateNumber(.filling) + 1))
  }
}
