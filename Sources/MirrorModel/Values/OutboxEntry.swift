package import CloudRecords
package import ObjectRows

/// An object or a pair that waits for the server's acknowledgement.
package struct OutboxEntry: Sendable {
  /// The object or the pair.
  package enum Subject: Hashable, Sendable {
    case object(RowKey)
    case pair(PairKey)
  }

  /// The change of the record; the raw values are those of the table.
  package enum Kind: Int, Sendable {
    /// The server does not have the record, as far as known.
    case insertion = 0
    /// The server has the record, with other values.
    case update = 1
    /// The object or the pair was deleted, and the record is to be deleted, too.
    case deletion = 2
  }

  package let subject: Subject
  package let kind: Kind
  /// The properties that changed since the last acknowledgement, by ordinal.
  ///
  /// Only updates of objects have them. If the server's record changed too, our values win.
  package let changed: OrdinalSet
  /// The number of the latest transaction that changed the subject or its group.
  ///
  /// All entries of a save have the same number. A backfill has negative numbers (`OutboxGroup`).
  package let group: Int64
  /// A count of changes, so that an acknowledgement removes only what was sent.
  package let stamp: Int64
  /// The record, whose name is assigned once.
  package let record: RecordIdentifier
  /// The tag of the server's last known version; nil if unknown.
  package let tag: String?
  /// The encoded system fields of the server's last known version; nil if unknown.
  package let systemFields: [UInt8]?
  /// Whether the server may have the record: it was sent at least once.
  package let mayBeOnServer: Bool
  /// Whether an earlier request with the entry was not answered.
  package let isUnanswered: Bool
  /// The number of the record's moves between zones.
  package let moves: Int64

  package init(
    subject: Subject, kind: Kind, changed: OrdinalSet, group: Int64, stamp: Int64,
    record: RecordIdentifier, tag: String?, systemFields: [UInt8]?, mayBeOnServer: Bool,
    isUnanswered: Bool, moves: Int64 = 0
  ) {
    (self.subject, self.kind, self.changed) = (subject, kind, changed)
    (self.group, self.stamp, self.record) = (group, stamp, record)
    (self.tag, self.systemFields, self.mayBeOnServer) = (tag, systemFields, mayBeOnServer)
    (self.isUnanswered, self.moves) = (isUnanswered, moves)
  }
}

/// A position in the outbox, oldest first, from which reading continues.
package struct OutboxPosition: Hashable, Sendable {
  package let group: Int64
  /// The objects of a group come before its pairs.
  package let isPair: Bool
  package let numbers: [Int64]

  package init(group: Int64, isPair: Bool, numbers: [Int64]) {
    (self.group, self.isPair, self.numbers) = (group, isPair, numbers)
  }
}

/// A page of the outbox, in the order of the groups.
package struct OutboxPage: Sendable {
  package let entries: [OutboxEntry]
  /// The position of the next page; nil at the end.
  package let next: OutboxPosition?
  /// The position of the last entry; nil if there is none.
  package let end: OutboxPosition?
  /// Whether the last group continues in the next page, because it exceeds a page.
  package let cutsGroup: Bool

  package init(entries: [OutboxEntry], next: OutboxPosition?, end: OutboxPosition?, cutsGroup: Bool)
  {
    (self.entries, self.next, self.end) = (entries, next, end)
    self.cutsGroup = cutsGroup
  }
}

/// The server's acknowledgement of an entry.
package struct Acknowledgement: Sendable {
  /// The entry as it was sent.
  package let entry: OutboxEntry
  /// The record's new tag; nil for a deletion.
  package let tag: String?
  /// The record's new encoded system fields; nil for a deletion.
  package let systemFields: [UInt8]?
  /// Digests of the properties that were sent, by ordinal.
  package let digests: [Int: UInt64]

  package init(
    _ entry: OutboxEntry, tag: String?, systemFields: [UInt8]?, digests: [Int: UInt64] = [:]
  ) {
    (self.entry, self.tag, self.systemFields) = (entry, tag, systemFields)
    self.digests = digests
  }
}

extension OutboxEntry.Subject {
  /// The object; nil for a pair.
  package var object: RowKey? { if case .object(let key) = self { key } else { nil } }

  /// The objects that the record names.
  package var objects: [RowKey] {
    switch self {
    case .object(let key): [key]
    case .pair(let pair): [pair.first, pair.second]
    }
  }
}
