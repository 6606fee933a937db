import ObjectRows
import SQLiteDriver
import SQLiteStore

/// How the outbox is filled beside saves.
extension Ledger {
  /// Puts one step of the objects that were there before into the outbox, in a transaction of its
  /// own.
  ///
  /// Returns false when all are in. It goes on where it stopped, in this process or a later one.
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

  /// Sees that the outbox has all that is to be sent.
  ///
  /// If a part of the history was lost, nothing that changed in it counts as sent.
  package func completeOutbox() throws {
    try catchUp()
    while try backfill() {}
    try sharedZones.finishMoves()
  }

  /// How often something was put into the outbox that may come before what waits there already.
  package func filling() throws -> Int64 { try read { try $0.stateNumber(.filling) } }

  /// Whether all objects that were there before are in the outbox.
  package var isBackfilled: Bool { get throws { try state(.backfilled) == Backfill.done } }

  /// The number of the latest transaction of the store, by any process.
  package func latestTransaction() throws -> Int64 {
    try read { try store.historyNumbers(on: $0).latest }
  }

  /// Reads from the history what was saved past this ledger.
  package func catchUp() throws {
    let numbers = try read { (try $0.noted(), try store.historyNumbers(on: $0).latest) }
    if numbers.0 < numbers.1 { try write { try recorder.catchUp(with: store, on: $0) } }
  }
}

extension Connection {
  /// Notes that something is put into the outbox beside saves: its groups may come before those
  /// that wait.
  func recordFilling() throws(SQLiteError) {
    try setState(.filling, to: .integer(stateNumber(.filling) + 1))
  }
}
