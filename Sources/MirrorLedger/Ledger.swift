import CloudRecords
import Foundation
import ObjectRows
package import SQLiteDriver
package import SQLiteStore

/// What mirroring knows of one store, in tables of its own in the store's file.
///
/// It fills its outbox in the transactions of the store's saves. The engine sends the entries and
/// removes those that the server acknowledged. Clock and randomness are injected.
///
/// ```
/// save ──(OutboxRecorder, same transaction)──▶ outbox ──nextGroups──▶ recordSending ──▶ the cloud
///                                                ▲                                      │
///                                                └───────── acknowledge ◀───────────────┘
/// the cloud ──▶ importing(changes) { save } ──(same transaction)──▶ records, tokens, deferred
/// items
/// ```
package final class Ledger: Sendable {
  package let store: SQLiteRowStore
  package let options: LedgerOptions
  let recorder: OutboxRecorder

  var names: LedgerNames { recorder.names }

  private init(_ store: SQLiteRowStore, _ options: LedgerOptions, _ recorder: OutboxRecorder) {
    self.store = store
    self.options = options
    self.recorder = recorder
  }

  /// Begins with a store, or goes on.
  ///
  /// It makes the tables, forgets what left the model, reads what was saved meanwhile, and works
  /// beside each save from then on. Throws where the tables are those of a newer version, and where
  /// the store keeps no history.
  package static func open(_ store: SQLiteRowStore, _ options: LedgerOptions) throws -> Ledger {
    guard store.keepsHistory else { throw withoutHistory(store) }
    let recorder = try store.pool.write { connection in
      try connection.transaction(.immediate) {
        try LedgerTables.prepare(on: connection)
        try connection.keepNoted()
        let names = try LedgerNames(store.schema, tracked: options.tracked, on: connection)
        try LedgerCleaning.forgetVanished(names, on: connection)
        if try connection.state(.noted) == nil {
          try connection.setState(.noted, to: .integer(store.historyNumbers(on: connection).latest))
        }
        var zones = ZoneNumbers(connection)
        return OutboxRecorder(
          names, homeZone: try zones.number(of: options.homeZone), options: options)
      }
    }
    let ledger = Ledger(store, options, recorder)
    store.companion = recorder
    try ledger.catchUp()
    return ledger
  }

  /// Ends the work beside saves; the tables stay, and what is saved from now on is read from the
  /// history later.
  ///
  /// A running import ends first; otherwise the records of its objects would be unknown.
  package func close() {
    recorder.noteClosed()
    endIfClosed()
  }

  /// Lets the store go once the ledger is closed and no import is being saved.
  func endIfClosed() {
    if recorder.isDone, store.companion === recorder { store.companion = nil }
  }

  /// Reads over a connection for reading, in one state of the file.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try store.pool.read { connection in
      connection.isInTransaction
        ? try body(connection) : try connection.transaction(.deferred) { try body(connection) }
    }
  }

  /// Writes in a transaction of the ledger's own.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try store.pool.write { try Self.transaction($0, body) }
  }

  private static func transaction<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try connection.transaction(.immediate) {
      try connection.keepNoted()
      return try body(connection)
    }
  }

  /// Writes what may be lost with the machine's power, as what others do in its place comes to the
  /// same: it is not waited for that it lies on the disk.
  ///
  /// A save that comes later waits for all that was written before it, and so does `settle()`. A
  /// crash of the program alone loses nothing.
  func writeUnawaited<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try store.pool.writeUnawaited { try Self.transaction($0, body) }
  }

  /// Returns when everything that was written before lies on the disk.
  ///
  /// A save that goes on meanwhile does that by its own sync, so that sending adds no wait to saves
  /// that follow one another.
  package func settle() async throws { try await store.pool.settle() }

  private static func withoutHistory(_ store: SQLiteRowStore) -> StoreError {
    StoreError(
      .incompatibleSchema,
      "The store \(store.location.path) cannot be mirrored: it keeps no history. "
        + "Open it for writing, with NSPersistentHistoryTrackingKey set to true.",
      context: ["file": store.location.path])
  }
}
