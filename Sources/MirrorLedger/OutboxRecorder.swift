import CloudRecords
import Foundation
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import Synchronization

/// Fills the outbox in the transaction of each save of a mirrored store.
final class OutboxRecorder: SaveCompanion {
  package let names: LedgerNames
  /// The number of the zone of new records.
  package let homeZone: Int64
  package let options: LedgerOptions
  package let others = OtherProcesses()
  /// The changes of the ledger that the current import's save will write.
  private let prepared = Mutex<(changes: Prepared?, isClosed: Bool)>((nil, false))

  struct Prepared: Sendable {
    package var changes: LedgerChanges
    /// The result of writing the changes; a save that is retried writes them again.
    package var outcome = Outcome.unwritten
  }

  /// The result of writing an import's changes.
  package enum Outcome {
    case unwritten, written
    /// Another process imported the same records after this import read the ledger.
    case outdated
    /// Another process recorded versions of the server after this import's request.
    case overtaken
  }

  init(_ names: LedgerNames, homeZone: Int64, options: LedgerOptions) {
    self.names = names
    self.homeZone = homeZone
    self.options = options
  }

  /// Sets the changes that the next save of the import author writes.
  package func prepare(_ changes: LedgerChanges) {
    prepared.withLock { prepared in
      precondition(prepared.changes == nil, "Two imports save into one store at once.")
      prepared.changes = Prepared(changes: changes)
    }
  }

  /// Adds changes of a program's hook to the import that is being saved.
  package func noteHooked(_ object: RowKey, _ changed: OrdinalSet) {
    prepared.withLock {
      $0.changes?.changes.hooked[object, default: OrdinalSet()].formUnion(changed)
    }
  }

  /// Ends the import, and returns the result of writing its changes.
  func endImport() -> Outcome {
    prepared.withLock { prepared in
      defer { prepared.changes = nil }
      return prepared.changes?.outcome ?? .unwritten
    }
  }

  /// Records that the ledger is closed.
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
      try receipt.transactionNumber.map { $0 - 1 } ?? store.latestHistoryNumber(on: connection)
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
    // If entries of this save are pending, their group is the number (`noted()`).
    if try connection.noted() != group { try connection.setState(.noted, to: .integer(group)) }
  }

  /// Whether a lost save is repeated: an import is lost together with its feed position.
  package func repeats(_ changes: StoreChanges) -> Bool {
    changes.transaction.author == MirrorNames.importAuthor
  }

  package func noteBatch(of store: SQLiteRowStore, on connection: Connection) throws {
    try catchUp(with: store, on: connection)
  }

  package func willDeleteHistory(of store: SQLiteRowStore, on connection: Connection) throws {
    // Without the history, only the recorded number shows how far it was coalesced.
    try connection.keepNoted()
    try catchUp(with: store, on: connection)
  }

  /// Coalesces saves that this recorder missed, in the open transaction.
  package func catchUp(with store: SQLiteRowStore, on connection: Connection) throws {
    let noted = try connection.noted()
    let last = try store.latestHistoryNumber(on: connection)
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

  /// Writes the changes of an import, and enqueues further deletions by its save.
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
    // A delete rule may have deleted objects that the import did not name; the server has these.
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
  /// Enqueues the deletion of objects that the save omitted, and the insertions and changes of the
  /// program's hooks: the server knows none of them.
  private func noteInserted(
    _ rows: ContiguousArray<RowChange>, _ import_: LedgerChanges, of store: SQLiteRowStore,
    group: Int64, _ coalescer: inout OutboxCoalescer
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
  /// Enqueues the deletion of objects that an import created but its save omitted.
  mutating func deleteMissing(
    of import_: LedgerChanges, besides inserted: Set<RowKey> = [], group: Int64
  ) throws {
    for object in import_.made where !inserted.contains(object) { try delete(object, group: group) }
  }
}
