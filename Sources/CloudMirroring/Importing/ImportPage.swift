package import CloudKitClient
import CloudRecords
import MirrorLedger
package import MirrorModel
import SQLiteDriver

/// Remote changes that are applied in one save.
package struct ImportPage: Sendable {
  package private(set) var records: [CKRecord]
  package private(set) var deleted: [CKRecord.ID]
  /// The existing records that cannot be read, with the errors.
  private(set) var unread: [CKRecord.ID: MirrorError] = [:]
  /// The names of all added records.
  private var named: Set<CKRecord.ID> = []
  /// The tokens of the zones' feeds after the page.
  var zoneTokens: [RecordZoneIdentifier: [UInt8]?] = [:]
  /// Deferred items other than those of records that cannot be read.
  var deferred: [DeferredItem] = []
  /// Other state to set in the same transaction.
  var state: [LedgerStateKey: Value] = [:]
  /// The moment of the request; nil if newer versions from another process do not matter.
  var asked: LedgerMoment?
  /// The user who receives the records of a public database.
  var received: ReaderReceipt?
  /// Whether a record that the page does not contain is gone, so that cascades to it lose nothing.
  var isGoneOutsidePage: (@Sendable (RecordIdentifier) -> Bool)?
  /// The records whose objects or pairs were deleted here and are restored.
  var returning: Set<RecordIdentifier> = []
  /// Whether the records were received as conflicts, and count regardless of the ledger's tag.
  package let isConflict: Bool
  /// Whether the records are listed again for a larger model; only fields with values count.
  let isRelisting: Bool
  /// Whether the server's values replace changes that the user had no permission for.
  var isReverting = false
  /// Whether the records have only some fields, and do not determine the others.
  var isPartial = false

  package init(records: [CKRecord] = [], deleted: [CKRecord.ID] = [], isConflict: Bool = false) {
    (self.records, self.deleted, self.isConflict, isRelisting) = (
      records, deleted, isConflict, false
    )
  }

  /// Creates a page of records that are listed again.
  init(isRelisting: Bool, records: [CKRecord] = []) {
    (self.records, deleted, isConflict, self.isRelisting) = (records, [], false, isRelisting)
  }

  var isEmpty: Bool { records.isEmpty && deleted.isEmpty }

  /// Adds a later page, which replaces earlier versions of its records.
  package mutating func add(
    _ newer: [CKRecord], deleted gone: [CKRecord.ID],
    unread closed: [CKRecord.ID: MirrorError] = [:]
  ) {
    let news = newer.map(\.recordID) + gone + closed.keys
    let count = named.count
    named.formUnion(news)
    if named.count < count + news.count { forget(Set(news)) }
    records += newer
    deleted += gone
    unread.merge(closed) { $1 }
  }

  private mutating func forget(_ names: Set<CKRecord.ID>) {
    records.removeAll { names.contains($0.recordID) }
    deleted.removeAll { names.contains($0) }
    unread = unread.filter { !names.contains($0.key) }
  }

  /// Adds the page's deferred items to the changes; received records settle theirs.
  func addDeferred(to changes: inout LedgerChanges) {
    for recordID in named {
      changes.resolve(DeferredItem.Kind.ofRecords, .record(RecordIdentifier(recordID)))
    }
    changes.deferred += unread.map { recordID, failure in
      DeferredItem(
        failure.kind.awaitsKeys ? .sealed : .unreadable, .record(RecordIdentifier(recordID)),
        reason: failure.message, payload: Array(failure.kind.rawValue.utf8))
    }
    changes.deferred += deferred
  }

  /// Settles the items of records that are gone.
  mutating func settle(_ recordIDs: some Sequence<CKRecord.ID>) { named.formUnion(recordIDs) }

  /// Returns the page with other records and deletions, at the same feed positions.
  package func replacing(records: [CKRecord], deleted: [CKRecord.ID]) -> Self {
    var page = self
    (page.records, page.deleted) = (records, deleted)
    return page
  }
}
