package import CloudRecords
package import MirrorModel
package import ObjectRows
package import SQLiteDriver

/// The changes that an import makes to the ledger, in the transaction of its save.
///
/// Keys are permanent: the importer obtains permanent identifiers before it saves.
package struct LedgerChanges: Sendable {
  /// An object or pair with the server's record.
  package struct Record: Sendable {
    package let subject: OutboxEntry.Subject
    package let identifier: RecordIdentifier
    package let tag: String?
    package let systemFields: [UInt8]?
    /// The pending properties that the server's record settled, which need not be sent any more.
    package let settled: Settled
    /// The properties to send because the server's record lacks them.
    package let lacking: OrdinalSet
    /// The reasons why values of the record could not be read, by ordinal.
    package let unread: [Int: String]
    /// Whether the import created the object, since the ledger did not know the record.
    package let isNew: Bool
    /// Digests of the properties that the record determines, by ordinal.
    package let digests: [Int: UInt64]
    /// The number of the record's moves between zones.
    package let moves: Int64

    package enum Settled: Sendable {
      /// Pending changes stay pending: they win over the server's record.
      case nothing
      /// These properties have the server's values.
      case properties(OrdinalSet)
      /// Nothing is pending any more: the object equals the server's record.
      case everything
    }

    package init(
      _ subject: OutboxEntry.Subject, _ identifier: RecordIdentifier, tag: String?,
      systemFields: [UInt8]?,
      settled: Settled = .nothing, lacking: OrdinalSet = OrdinalSet(), unread: [Int: String] = [:],
      isNew: Bool = false, digests: [Int: UInt64] = [:], moves: Int64 = 0
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

  /// The records that the store has now, with the server's versions.
  package var records: [Record] = []
  /// The objects that the import created.
  ///
  /// If a delete rule or a hook of the program keeps one out of the import's save, its deletion is
  /// enqueued, because the server still has its record.
  package var made: [RowKey] = []
  /// The objects and pairs that the server deleted; the ledger drops them with their entries.
  ///
  /// If the save deletes further objects, by a delete rule, their deletions are enqueued, because
  /// the server still has their records.
  package var deleted: [OutboxEntry.Subject] = []
  /// New deferred items.
  package var deferred: [DeferredItem] = []
  /// Deferred items to drop before new ones are added: by kinds and subject.
  package private(set) var resolved: [(kinds: [DeferredItem.Kind], subject: DeferredItem.Subject)] =
    []
  /// The tokens of zones' feeds; nil removes one.
  package var zoneTokens: [RecordZoneIdentifier: [UInt8]?] = [:]
  /// Values of the state of mirroring, such as the token of the database's feed.
  package var state: [LedgerStateKey: Value] = [:]
  /// Merges of duplicates to add to the deferred ones.
  package var merges: [DuplicateMerge] = []
  /// The records that absorbed others, according to the server.
  package var mergedDuplicates: [MergedDuplicate] = []
  /// The user who receives the records, recorded in the same transaction.
  package var received: ReaderReceipt?
  /// The overwritten values.
  package var journal: [JournalEntry] = []
  /// The properties to send like any other change, by ordinal.
  ///
  /// Hooks changed them, or a record moved between zones. New objects without records are sent.
  package var hooked: [RowKey: OrdinalSet] = [:]
  /// The moment of the request for the records; nil if it does not matter.
  package var asked: LedgerMoment?

  package init() {}

  /// Drops the items of a subject.
  package mutating func resolve(_ kinds: [DeferredItem.Kind], _ subject: DeferredItem.Subject) {
    resolved.append((kinds, subject))
  }

  /// Drops an item.
  package mutating func resolve(_ item: DeferredItem) { resolve([item.kind], item.subject) }

  /// Replaces an order that waits for members, or drops it.
  package mutating func keep(_ order: DeferredOrder) {
    resolve([.order], order.subject)
    deferred += order.items
  }
}
