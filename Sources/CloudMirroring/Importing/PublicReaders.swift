import CloudKitClient
import CloudRecords
import Foundation
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension LedgerStateKey {
  /// Whether a user may read their own records of a type: 1 or 0; not set if unknown.
  fileprivate static func readsOwn(_ type: String, _ user: String) -> Self {
    Self("readsOwn.\(user).\(type)")
  }
}

/// The users that received records of a public database (`ReaderTable`).
struct PublicReaders: EnginePart {
  let shared: EngineContext

  /// Determines the user who reads a public database: none if no user is signed in or the server
  /// rejects the session.
  ///
  /// - Returns: The error of a rejected session.
  func determineReader() async throws -> MirrorError? {
    switch try await mirror.container.accountStatus() {
    case .available:
      try noteReader(try await mirror.container.userRecordID().recordName)
      return nil
    case .noAccount:
      try noteReader(nil)
      return nil
    default:
      try noteReader(nil)
      return MirrorError.sessionRefused
    }
  }

  /// Records the user who reads a public database.
  ///
  /// Another user may see other records, including old ones, so everything is listed again.
  private func noteReader(_ user: String?) throws {
    let former = try mirror.presentUser
    guard former != user else { return }
    if let former { try forgetReadsOwn(former) }
    var state: [LedgerStateKey: SQLiteDriver.Value] = [
      .presentUser: user.map { .text($0) } ?? .null, .namesCompared: .null,
    ]
    if let user { state[.readerSince(user)] = .real(mirror.now.timeIntervalSinceReferenceDate) }
    state.merge(PollingCursor.forgetting(mirror.polledTypes)) { $1 }
    if try ledger.state(.relisting) != nil { state[.relisting] = .text("") }
    try ledger.setState(state)
  }

  /// Returns the receipt of records by the present user, to store with their import.
  func telling(_ found: FoundRecords) throws -> ReaderReceipt {
    ReaderReceipt(records: found.names.map { RecordIdentifier($0) }, reader: try mirror.presentUser)
  }

  /// Records that the present user received known records.
  func recordReceipts(_ found: FoundRecords, _ type: String) throws {
    try ledger.recordReceipts(found.names.map { RecordIdentifier($0) }, to: try mirror.presentUser)
    try noteReadsOwn(found, type)
  }

  /// Records that the present user may read their own records of a type, if these show it.
  func noteReadsOwn(_ found: FoundRecords, _ type: String) throws {
    if let user = try mirror.presentUser, found.records.contains(where: \.isOwn) {
      try noteReadsOwn(type, user, true)
    }
  }

  /// Returns the user who created the records that the server accepted.
  ///
  /// Creators count as readers of what they may read, since a record may be deleted before it is
  /// listed. Records that they only changed may belong to other users.
  func making(of taken: [Acknowledgement], in batch: [ExportPage.Item]) async throws -> Making {
    var making = Making()
    guard let user = try mirror.presentUser else { return making }
    let made = Set(taken.filter { $0.entry.kind == .insertion }.map(\.entry.record.recordID))
    let records = batch.compactMap(\.record).filter { made.contains($0.recordID) }
    var readable: Set<RecordIdentifier> = []
    for (type, records) in Dictionary(grouping: records, by: \.recordType).sorted(by: {
      $0.key < $1.key
    }) {
      let names = records.map { RecordIdentifier($0.recordID) }
      do {
        if try await readsOwn(type, user, records[0]) { readable.formUnion(names) }
      } catch {
        making.unsettled.formUnion(names)
        making.error = making.error ?? error
      }
    }
    making.maker = RecordCreator(name: user, readable: readable)
    return making
  }

  /// Returns the receipt of records that arrive as conflicts.
  ///
  /// The user received their own records of a readable type, which a later listing may lack.
  func telling(ofOwn conflicts: [CKRecord]) async throws -> ReaderReceipt? {
    guard let user = try mirror.presentUser else { return nil }
    var readable: [RecordIdentifier] = []
    let own = Dictionary(grouping: conflicts.filter(\.isOwn), by: \.recordType)
    for (type, records) in own.sorted(by: { $0.key < $1.key })
    where try await readsOwn(type, user, records[0]) {
      readable += records.map { RecordIdentifier($0.recordID) }
    }
    return ReaderReceipt(records: readable, reader: user)
  }

  /// Returns the known records that may be gone unreported, because only other users received them.
  func unverifiable(_ records: [RecordIdentifier]) throws -> Set<RecordIdentifier> {
    guard mirror.scope == .public, !records.isEmpty else { return [] }
    let received = try ledger.received(records, to: mirror.presentUser)
    let rows = try ledger.subjects(of: records.filter { !received.contains($0) })
    return Set(rows.values.filter { $0.tag != nil && $0.pending != .deletion }.map(\.identifier))
  }

  /// Forgets whether a user may read their own records, because roles may have changed.
  func forgetReadsOwn(_ user: String) throws {
    try ledger.setState(
      Dictionary(uniqueKeysWithValues: mirror.polledTypes.map { (.readsOwn($0, user), .null) }))
  }

  /// Whether the present user created a record, and is known to receive their own records of its
  /// type.
  func isShownOwn(_ row: LedgerRecord) throws -> Bool {
    guard let user = try mirror.presentUser, let record = mirror.bareRecord(row), record.isOwn
    else { return false }
    return try ledger.state(.readsOwn(record.recordType, user)) == .integer(1)
  }

  private func noteReadsOwn(_ type: String, _ user: String, _ isReading: Bool) throws {
    let value = Value.integer(isReading ? 1 : 0)
    if try ledger.state(.readsOwn(type, user)) != value {
      try ledger.setState([.readsOwn(type, user): value])
    }
  }

  /// Whether a user may read their own records of a type; if unknown, one of them is fetched.
  private func readsOwn(_ type: String, _ user: String, _ example: CKRecord) async throws -> Bool {
    if let known = try ledger.state(.readsOwn(type, user)) { return known == .integer(1) }
    let isThere = try await mirror.database.records(for: [example.recordID], desiredKeys: []).values
      .contains {
        (try? $0.get()) != nil
      }
    try noteReadsOwn(type, user, isThere)
    return isThere
  }
}

/// The creator of records that the server accepted.
struct Making {
  /// The creator; nil without a user, and in other databases.
  var maker: RecordCreator?
  /// The records for which it is unknown whether their creator may read them.
  ///
  /// They count as sent and unanswered.
  var unsettled: Set<RecordIdentifier> = []
  /// The error of the request that would have determined it.
  var error: (any Error)?
}
