import CloudRecords
import Foundation
import ObjectRows
package import SQLiteDriver
package import SQLiteStore

/// The mirroring state of one store, in separate tables of the store's file.
///
/// It fills its outbox in the transactions of the store's saves. The engine sends the entries and
/// removes those that the server acknowledged. Clock and randomness are injected.
///
/// ```
/// save ──(OutboxRecorder, same transaction)──▶ outbox ──nextGroups──▶ recordSending ──▶ the cloud
///                                                ▲                                      │
///                                                └───────── acknowledge ◀───────────────┘
/// the cloud ──▶ importing(changes) { save } ──(same transaction)──▶ records, tokens, items
/// ```
package final class Ledger: Sendable {
  package let store: SQLiteRowStore
  package let options: LedgerOptions
  let recorder: OutboxRecorder

  var names: LedgerNames { recorder.names }

  /// The pending entries.
  package var outbox: Outbox { Outbox(ledger: self) }

  private init(_ store: SQLiteRowStore, _ options: LedgerOptions, _ recorder: OutboxRecorder) {
    self.store = store
    self.options = options
    self.recorder = recorder
  }

  /// Opens the ledger of a store.
  ///
  /// It creates or upgrades the tables, drops rows of entities that left the model, and reads
  /// earlier saves from the history. From then on it takes part in each save. It throws if the
  /// tables have a newer version, or if the store keeps no history.
  package static func open(_ store: SQLiteRowStore, _ options: LedgerOptions) throws -> Ledger {
    guard store.keepsHistory else { throw withoutHistory(store) }
    let recorder = try store.pool.write { connection in
      try connection.transaction(.immediate) {
        try LedgerTables.prepare(on: connection)
        try connection.keepNoted()
        let names = try LedgerNames(store.schema, tracked: options.tracked, on: connection)
        try LedgerCleaning.dropRemovedWinners(names, on: connection)
        if try connection.state(.noted) == nil {
          try connection.setState(.noted, to: .integer(store.latestHistoryNumber(on: connection)))
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

  /// Stops taking part in saves; the next opening reads later ones from the history.
  ///
  /// A running import ends first; otherwise the records of its objects would be unknown.
  package func close() {
    recorder.noteClosed()
    endIfClosed()
  }

  /// Detaches from the store once the ledger is closed and no import is being saved.
  func endIfClosed() {
    if recorder.isDone, store.companion === recorder { store.companion = nil }
  }

  /// Reads in one snapshot of the file; one statement is a snapshot by itself (`store.pool.read`).
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try store.pool.read { connection in
      connection.isInTransaction
        ? try body(connection) : try connection.transaction(.deferred) { try body(connection) }
    }
  }

  /// Writes in a separate transaction.
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

  /// Writes without waiting for the disk; only a power failure can lose the changes.
  ///
  /// It is for changes that are repeated if they are lost. A later save and `settle()` wait for
  /// everything that was written before.
  func writeUnawaited<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try store.pool.writeUnawaited { try Self.transaction($0, body) }
  }

  /// Returns when all earlier writes are on the disk.
  ///
  /// The disk sync of a concurrent save also counts, so sending does not delay consecutive saves.
  package func settle() async throws { try await store.pool.settle() }

  private static func withoutHistory(_ store: SQLiteRowStore) -> StoreError {
    StoreError(
      .incompatibleSchema,
      "The store \(store.location.path) cannot be mirrored: it keeps no history. "
        + "Open it for writing, with NSPersistentHistoryTrackingKey set to true.",
      context: ["file": store.location.path])
  }
}
