package import CloudRecords
package import MirrorModel
package import ObjectRows
package import SQLiteDriver

/// What an import changes in the ledger, in the transaction of the import's own save.
///
/// Keys are permanent: the importer obtains permanent identifiers before it saves.
package struct LedgerChanges: Sendable {
  /// An object or pair that came from the server, or whose record did.
  package struct Record: Sendable {
    package let subject: OutboxEntry.Subject
    package let identifier: RecordIdentifier
    package let tag: String?
    package let systemFields: [UInt8]?
    /// Which pending properties the server's record has settled, of an object: they need not be
    /// sent any more.
    package let settled: Settled
    /// The properties that are to be sent besides, since the server's record has nothing of them.
    package let lacking: OrdinalSet
    /// What is wrong with values of the record that could not be read, by the ordinals of their
    /// properties.
    package let unread: [Int: String]
    /// Whether the import made the object, since the ledger did not know the record.
    package let isNew: Bool
    /// Digests of the properties that the record tells, by ordinal.
    package let digests: [Int: UInt64]
    /// The number of the record's moves between zones.
    package let moves: Int64

    package enum Settled: Sendable {
      /// What waits goes on waiting: it is ours, and goes over the server's record.
      case nothing
      /// These properties have the server's values now.
      case properties(OrdinalSet)
      /// Nothing waits any more: the object is as the server has it.
      case everything
    }

    package init(
      _ subject: OutboxEntry.Subject, _ identifier: RecordIdentifier, tag: String?,
      systemFields: [UInt8]?,
      settled: Settled = .nothing, lacking: OrdinalSet = OrdinalSet(), unread: [Int: String] = [:],
      isNew: Bool = false,
      digests: [Int: UInt64] = [:], moves: Int64 = 0
    ) {
      self.subject = subject
      self.identifier = identifier
      self.tag = tag
      self.systemFields = systemFields
      self.settled = settled
      self.lacking = lacking
      self.unread = unread
      self.isNew = isNew
      self.digests = digests
      self.moves = moves
    }
  }

  /// Records that the store has now, with the server's versions.
  package var records: [Record] = []
  /// The objects that the import made.
  ///
  /// One that its own save leaves out, since a delete rule took it along or a hook of the program
  /// deleted it, is a consequence as well: its deletion is put in the outbox.
  package var made: [RowKey] = []
  /// Objects and pairs that the server has deleted: the ledger forgets them, and what waits of
  /// them.
  ///
  /// Objects that the save deletes beyond these, by a delete rule, are consequences that the server
  /// has not seen: their deletions are put in the outbox.
  package var deleted: [OutboxEntry.Subject] = []
  /// New deferred items.
  package var deferred: [DeferredItem] = []
  /// Deferred items that are done, before new ones are added: of some kinds, by subject.
  package private(set) var resolved: [(kinds: [DeferredItem.Kind], subject: DeferredItem.Subject)] =
    []
  /// The positions in the feeds of zones; nil forgets one.
  package var zoneTokens: [RecordZoneIdentifier: [UInt8]?] = [:]
  /// State of the engine, such as the position in the database's feed.
  package var state: [LedgerStateKey: Value] = [:]
  /// Objects that have to go, since others have the same unique values: they are noted beside those
  /// that are noted already.
  package var merges: [DuplicateMerge] = []
  /// Which records stand for others, as the server has it.
  package var mergedDuplicates: [MergedDuplicate] = []
  /// The user that receives the records, recorded in the same transaction.
  package var received: Telling?
  /// What was overwritten.
  package var journal: [JournalEntry] = []
  /// What the program's own hooks changed while the import was made and saved, by ordinal: it is
  /// sent like any other change.
  ///
  /// Objects that the save inserts and that no record stands for are the program's as well.
  package var hooked: [RowKey: OrdinalSet] = [:]
  /// When the server was asked for all this; nil where that does not matter.
  package var asked: LedgerMoment?

  package init() {}

  /// Drops the items of a subject.
  package mutating func resolve(_ kinds: [DeferredItem.Kind], _ subject: DeferredItem.Subject) {
    resolved.append((kinds, subject))
  }

  /// Drops an item.
  package mutating func resolve(_ item: DeferredItem) { resolve([item.kind], item.subject) }

  /// Keeps an order that waits for members in the place of a former one, or drops it.
  package mutating func keep(_ order: DeferredOrder) {
    resolve([.order], order.subject)
    deferred += order.items
  }
}
