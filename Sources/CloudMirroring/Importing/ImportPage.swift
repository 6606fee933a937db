package import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

/// What came from the cloud and is taken over in one save.
package struct ImportPage: Sendable {
  package private(set) var records: [CKRecord]
  package private(set) var deleted: [CKRecord.ID]
  /// The records that are there and cannot be read, since this device has no keys for encrypted
  /// values.
  private(set) var sealed: [CKRecord.ID] = []
  /// The records that are there and cannot be read by any device, with what is wrong.
  private(set) var unreadable: [CKRecord.ID: MirrorError] = [:]
  /// All that were added.
  private var named: Set<CKRecord.ID> = []
  /// Where the feeds of zones are then.
  var zoneTokens: [RecordZoneIdentifier: [UInt8]?] = [:]
  /// Items to defer besides those of unreadable and sealed records.
  var deferred: [DeferredItem] = []
  /// What else is noted in the same transaction.
  var state: [LedgerStateKey: Value] = [:]
  /// When the server was asked; nil where it does not matter whether another process has noted what
  /// it has since.
  var asked: LedgerMoment?
  /// The user that receives the records of a public database.
  var received: Telling?
  /// Whether a record that the page does not name is known to be gone: its cascade loses nothing.
  var isGoneBesides: (@Sendable (RecordIdentifier) -> Bool)?
  /// The records whose objects come back that were deleted here.
  var returning: Set<RecordIdentifier> = []
  /// Whether the records were received as conflicts: they count whatever tag the ledger has.
  package let isConflict: Bool
  /// Whether the records are listed once more, since the model can read more of them: they count as
  /// far as they have values.
  let isRelisting: Bool
  /// Whether the server's values replace changes that the user had no permission for.
  var isReverting = false
  /// Whether the records have some of their fields alone: of all others they say nothing.
  var isPartial = false

  package init(records: [CKRecord] = [], deleted: [CKRecord.ID] = [], isConflict: Bool = false) {
    (self.records, self.deleted, self.isConflict, isRelisting) = (
      records, deleted, isConflict, false
    )
  }

  /// A page of records that are listed once more.
  init(isRelisting: Bool, records: [CKRecord] = []) {
    (self.records, deleted, isConflict, self.isRelisting) = (records, [], false, isRelisting)
  }

  var isEmpty: Bool { records.isEmpty && deleted.isEmpty }

  /// Adds a later page: what it says of a record takes the place of what was said before.
  package mutating func add(_ newer: [CKRecord], deleted gone: [CKRecord.ID]) {
    add(newer, deleted: gone, sealed: [])
  }

  /// Adds a later page, with the records that cannot be read.
  mutating func add(
    _ newer: [CKRecord], deleted gone: [CKRecord.ID], sealed unread: [CKRecord.ID],
    unreadable broken: [CKRecord.ID: MirrorError] = [:]
  ) {
    let news = newer.map(\.recordID) + gone + unread + broken.keys
    let count = named.count
    named.formUnion(news)
    if named.count < count + news.count { forget(Set(news)) }
    records += newer
    deleted += gone
    sealed += unread
    unreadable.merge(broken) { $1 }
  }

  private mutating func forget(_ names: Set<CKRecord.ID>) {
    records.removeAll { names.contains($0.recordID) }
    deleted.removeAll { names.contains($0) }
    sealed.removeAll { names.contains($0) }
    unreadable = unreadable.filter { !names.contains($0.key) }
  }

  /// Adds the deferred items of the page to the changes: received records settle theirs.
  func addDeferred(to changes: inout LedgerChanges) {
    for recordID in named {
      changes.resolve(DeferredItem.Kind.ofRecords, .record(RecordIdentifier(recordID)))
    }
    changes.deferred += sealed.map { DeferredItem(.sealed, .record(RecordIdentifier($0))) }
    changes.deferred += unreadable.map {
      DeferredItem(.unreadable, .record(RecordIdentifier($0)), reason: $1.message)
    }
    changes.deferred += deferred
  }

  /// Settles the items of records that are gone.
  mutating func settle(_ recordIDs: some Sequence<CKRecord.ID>) { named.formUnion(recordIDs) }

  /// A page that says something else, and is at the same place of the feeds.
  package func saying(_ records: [CKRecord], deleted: [CKRecord.ID]) -> Self {
    var page = self
    (page.records, page.deleted) = (records, deleted)
    return page
  }
}
