import CloudRecords
import Foundation
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization

/// Fills the outbox in the transaction of every save of a store that mirrors.
final class OutboxRecorder: SaveCompanion {
  let names: LedgerNames
  /// The number of the zone in which new records come into being.
  let homeZone: Int64
  let options: LedgerOptions
  /// What the import that is being saved changes in the ledger.
  private let prepared = Mutex<Prepared?>(nil)

  struct Prepared: Sendable {
    let changes: LedgerChanges
    /// Whether a save has written the changes; a save that is tried again writes them again.
    var isWritten = false
  }

  init(_ names: LedgerNames, homeZone: Int64, options: LedgerOptions) {
    self.names = names
    self.homeZone = homeZone
    self.options = options
  }

  /// Sets what the next save of the import author writes.
  func prepare(_ changes: LedgerChanges) {
    prepared.withLock { prepared in
      precondition(prepared == nil, "Two imports save into one store at once.")
      prepared = Prepared(changes: changes)
    }
  }

  /// Ends the import, and tells whether a save wrote its changes.
  func endImport() -> Bool {
    prepared.withLock { prepared in
      defer { prepared = nil }
      return prepared?.isWritten ?? false
    }
  }

  // MARK: Saves

  func noteSave(
    _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore, on connection: Connection
  ) throws {
    var folding = makeFolding(on: connection)
    let noted = try connection.stateNumber(.noted)
    let last = try receipt.transactionNumber.map { $0 - 1 } ?? store.historyNumbers(on: connection).latest
    try foldGap(after: noted, through: last, of: store, &folding)
    let group = receipt.transactionNumber ?? last
    if changes.transaction.author == MirrorNames.importAuthor {
      try noteImport(changes, group: group, folding)
    } else {
      try folding.fold(changes, group: group)
    }
    if group != noted { try connection.setState(.noted, to: .integer(group)) }
  }

  func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws {
    try catchUp(with: store, on: connection)
  }

  /// Folds what was saved past this recorder, in the transaction that is open.
  func catchUp(with store: SQLiteRowStore, on connection: Connection) throws {
    let noted = try connection.stateNumber(.noted)
    let last = try store.historyNumbers(on: connection).latest
    guard noted < last else { return }
    var folding = makeFolding(on: connection)
    try foldGap(after: noted, through: last, of: store, &folding)
    try connection.setState(.noted, to: .integer(last))
  }

  func makeFolding(on connection: Connection) -> OutboxFolding {
    OutboxFolding(names, homeZone: homeZone, makeUUID: options.makeUUID, on: connection)
  }

  private func foldGap(
    after noted: Int64, through last: Int64, of store: SQLiteRowStore, _ folding: inout OutboxFolding
  ) throws {
    let history = HistoryFolding(store: store, names: names, connection: folding.connection)
    guard case .lost = try history.fold(after: noted, through: last, into: &folding) else { return }
    try folding.connection.setState(.enrolled, to: Enrolment.again.value)
  }

  /// Writes the changes of an import, and notes what the save deleted beyond them.
  private func noteImport(_ changes: StoreChanges, group: Int64, _ folding: OutboxFolding) throws {
    var folding = folding
    let import_ = prepared.withLock { $0?.changes } ?? LedgerChanges()
    try LedgerWriter(names, options, homeZone: homeZone, on: folding.connection).write(import_, &folding, group: group)
    // What the import did not name was deleted by a rule of the model: the server has not seen it.
    for row in changes.deleted {
      try folding.delete(RowKey(key: row.key, layoutIndex: Int32(row.layout.index)), group: group)
    }
    prepared.withLock { $0?.isWritten = true }
  }
}
