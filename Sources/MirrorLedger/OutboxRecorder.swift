import CloudRecords
import Foundation
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization

/// Fills the outbox in the transaction of every save of a store that mirrors.
final class OutboxRecorder: SaveCompanion {
  package let names: LedgerNames
  /// The number of the zone in which new records come into being.
  package let homeZone: Int64
  package let options: LedgerOptions
  package let others = OtherProcesses()
  /// What the import that is being saved changes in the ledger.
  private let prepared = Mutex<(changes: Prepared?, isClosed: Bool)>((nil, false))

  struct Prepared: Sendable {
    package var changes: LedgerChanges
    /// What became of the changes; a save that is tried again writes them again.
    package var outcome = Outcome.unwritten
  }

  /// What became of an import's changes.
  package enum Outcome {
    case unwritten, written
    /// Another process has taken over the same records since the import looked.
    case outdated
    /// Another process has noted what the server has since that was asked.
    case overtaken
  }

  init(_ names: LedgerNames, homeZone: Int64, options: LedgerOptions) {
    self.names = names
    self.homeZone = homeZone
    self.options = options
  }

  /// Sets what the next save of the import author writes.
  package func prepare(_ changes: LedgerChanges) {
    prepared.withLock { prepared in
      precondition(prepared.changes == nil, "Two imports save into one store at once.")
      prepared.changes = Prepared(changes: changes)
    }
  }

  /// Adds what a hook of the program has changed within the import that is being saved.
  package func noteHooked(_ object: RowKey, _ changed: OrdinalSet) {
    prepared.withLock {
      $0.changes?.changes.hooked[object, default: OrdinalSet()].formUnion(changed)
    }
  }

  /// Ends the import, and tells whether a save wrote its changes.
  func endImport() -> Outcome {
    prepared.withLock { prepared in
      defer { prepared.changes = nil }
      return prepared.changes?.outcome ?? .unwritten
    }
  }

  /// The ledger is closed.
  func noteClosed() { prepared.withLock { $0.isClosed = true } }

  /// Whether the ledger is closed and no import is being saved.
  package var isDone: Bool { prepared.withLock { $0.isClosed && $0.changes == nil } }

  // MARK: Saves

  package func noteSave(
    _ changes: StoreChanges, _ receipt: StoreSaveReceipt, of store: SQLiteRowStore,
    on connection: Connection
  ) throws {
    var coalescer = makeCoalescer(on: connection)
    let noted = try connection.noted()
    let last =
      try receipt.transactionNumber.map { $0 - 1 } ?? store.historyNumbers(on: connection).latest
    try readGap(after: noted, through: last, of: store, &coalescer)
    let group = receipt.transactionNumber ?? last
    if changes.transaction.author == MirrorNames.importAuthor {
      try noteImport(changes, of: store, group: group, coalescer)
    } else {
      do {
        let zones = try ZoneAssignment(
          store, names, homeZone: homeZone, group: group, on: connection)
        try zones?.checkPermission(changes)
        try coalescer.coalesce(changes, group: group)
        try zones?.assign(changes)
      } catch let error as SharingError {
        throw options.explain(error)
      }
    }
    // What waits of this save says so by its group.
    if try connection.noted() != group { try connection.setState(.noted, to: .integer(group)) }
  }

  package func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws {
    try catchUp(with: store, on: connection)
  }

  package func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws {
    // Without the history, only the recorded number says how far it was coalesced.
    try connection.keepNoted()
    try catchUp(with: store, on: connection)
  }

  /// Folds what was saved past this recorder, in the transaction that is open.
  package func catchUp(with store: SQLiteRowStore, on connection: Connection) throws {
    let noted = try connection.noted()
    let last = try store.historyNumbers(on: connection).latest
    guard noted < last else { return }
    var coalescer = makeCoalescer(on: connection)
    try readGap(after: noted, through: last, of: store, &coalescer)
    try connection.setState(.noted, to: .integer(last))
  }

  func makeCoalescer(on connection: Connection) -> OutboxCoalescer {
    OutboxCoalescer(names, homeZone: homeZone, makeUUID: options.makeUUID, on: connection)
  }

  private func readGap(
    after noted: Int64, through last: Int64, of store: SQLiteRowStore,
    _ coalescer: inout OutboxCoalescer
  ) throws {
    let history = HistoryReader(store: store, names: names, connection: coalescer.connection)
    guard case .lost = try history.coalesce(after: noted, through: last, into: &coalescer) else {
      return
    }
    try coalescer.connection.setState(.backfilled, to: Backfill.again.value)
  }

  /// Writes the changes of an import, and notes what the save deleted beyond them.
  private func noteImport(
    _ changes: StoreChanges, of store: SQLiteRowStore, group: Int64, _ coalescer: OutboxCoalescer
  ) throws {
    var coalescer = coalescer
    let import_ = prepared.withLock { $0.changes?.changes } ?? LedgerChanges()
    let writer = LedgerWriter(names, options, homeZone: homeZone, on: coalescer.connection)
    do {
      try others.note(import_.asked, on: coalescer.connection)
      try writer.write(import_, &coalescer, group: group)
    } catch {
      if error is LedgerOutdated { prepared.withLock { $0.changes?.outcome = .outdated } }
      if error is AnswerOvertaken { prepared.withLock { $0.changes?.outcome = .overtaken } }
      throw error
    }
    // What the import did not name was deleted by a rule of the model: the server has not seen it.
    for row in changes.deleted {
      try coalescer.delete(RowKey(key: row.key, layoutIndex: Int32(row.layout.index)), group: group)
    }
    try noteInserted(changes.inserted, import_, of: store, group: group, &coalescer)
    let zones = try ZoneAssignment(
      store, names, homeZone: homeZone, group: group, on: coalescer.connection)
    try zones?.assignImported(
      changes, moved: import_.records.filter { $0.moves > 0 }.compactMap(\.subject.object),
      pairs: import_.records.compactMap { record in
        if case .pair(let pair) = record.subject { pair } else { nil }
      })
    prepared.withLock { $0.changes?.outcome = .written }
  }
}

extension OutboxRecorder {
  /// Folds which objects of the import its save has left out, and what the program's hooks made and
  /// changed within it: no server has seen either.
  private func noteInserted(
    _ rows: ContiguousArray<RowChange>, _ import_: LedgerChanges, of store: SQLiteRowStore,
    group: Int64,
    _ coalescer: inout OutboxCoalescer
  ) throws {
    let inserted = rows.map { RowKey(key: $0.row.key, layoutIndex: Int32($0.layout.index)) }
    let named = Set(import_.records.compactMap(\.subject.object))
    let made = inserted.filter { !named.contains($0) }
    if inserted.count - made.count < import_.made.count {
      try coalescer.deleteMissing(of: import_, besides: Set(inserted), group: group)
    }
    for object in made { try coalescer.insert(object, group: group) }
    let hooked = import_.hooked.sorted {
      ($0.key.layoutIndex, $0.key.key) < ($1.key.layoutIndex, $1.key.key)
    }
    for (object, changed) in hooked { try coalescer.update(object, changed, group: group) }
    let members = MemberLayouts(store: store)
    for object in made + hooked.map(\.key) {
      for side in names.sides(Int(object.layoutIndex)) {
        try coalescer.reconcilePairs(of: object, side, layouts: members, group: group)
      }
    }
  }
}

extension OutboxCoalescer {
  /// Folds the deletions of objects that an import made and that its save has left out.
  mutating func deleteMissing(
    of import_: LedgerChanges, besides inserted: Set<RowKey> = [], group: Int64
  ) throws {
    for object in import_.made where !inserted.contains(object) { try delete(object, group: group) }
  }
}
