package import CloudRecords
package import ObjectRows

/// What waits in the outbox for the server's acknowledgement: one object, or one pair of a
/// many-to-many relationship.
package struct OutboxEntry: Sendable {
  /// What is to be sent.
  package enum Subject: Hashable, Sendable {
    case object(RowKey)
    case pair(PairKey)
  }

  /// What becomes of the record; the raw values are those of the table.
  package enum Kind: Int, Sendable {
    /// The server does not have the record, as far as is known.
    case insertion = 0
    /// The server has the record, with other values.
    case update = 1
    /// The object or the pair is gone, and the record is to go too.
    case deletion = 2
  }

  package let subject: Subject
  package let kind: Kind
  /// The properties that were changed since the last acknowledgement, by ordinal; empty but for
  /// updates of objects.
  ///
  /// These are the fields that are ours where the server's record has changed too.
  package let changed: OrdinalSet
  /// The number of the latest transaction that changed it: what one save changed has one number.
  ///
  /// Numbers below zero are those of steps in which a whole store was put in (`OutboxGroup`).
  package let group: Int64
  /// Counts the changes, so that an acknowledgement takes out only what was sent.
  package let stamp: Int64
  /// The name of the record, which is given once.
  package let record: RecordIdentifier
  /// The tag of the server's last known version; nil where none is known.
  package let tag: String?
  /// The encoded system fields of the server's last known version; nil where none is known.
  package let systemFields: [UInt8]?
  /// Whether the server may have the record: it was sent at least once.
  package let mayBeOnServer: Bool
  /// Whether an earlier request with it was not answered.
  package let isUnanswered: Bool
  /// The number of the record's moves between zones.
  package let moves: Int64

  package init(
    subject: Subject, kind: Kind, changed: OrdinalSet, group: Int64, stamp: Int64,
    record: RecordIdentifier, tag: String?, systemFields: [UInt8]?, mayBeOnServer: Bool,
    isUnanswered: Bool, moves: Int64 = 0
  ) {
    self.subject = subject
    self.kind = kind
    self.changed = changed
    self.group = group
    self.stamp = stamp
    self.record = record
    self.tag = tag
    self.systemFields = systemFields
    self.mayBeOnServer = mayBeOnServer
    self.isUnanswered = isUnanswered
    self.moves = moves
  }
}

/// A place in the outbox, oldest first, from which reading goes on.
package struct OutboxPosition: Hashable, Sendable {
  package let group: Int64
  /// The objects of a group come before its pairs.
  package let isPair: Bool
  package let numbers: [Int64]

  package init(group: Int64, isPair: Bool, numbers: [Int64]) {
    self.group = group
    self.isPair = isPair
    self.numbers = numbers
  }
}

/// What was read of the outbox, in the order of the groups.
package struct OutboxPage: Sendable {
  package let entries: [OutboxEntry]
  /// Where the next page begins; nil at the end.
  package let next: OutboxPosition?
  /// The place of the last entry; nil where there is none.
  package let end: OutboxPosition?
  /// Whether the last group goes on in the next page: it alone has more entries than a page may
  /// have.
  package let cutsGroup: Bool

  package init(entries: [OutboxEntry], next: OutboxPosition?, end: OutboxPosition?, cutsGroup: Bool)
  {
    self.entries = entries
    self.next = next
    self.end = end
    self.cutsGroup = cutsGroup
  }
}

/// What the server has taken of the outbox.
package struct Acknowledgement: Sendable {
  /// The entry as it was sent.
  package let entry: OutboxEntry
  /// The tag of the record that the server has now; nil for a deletion.
  package let tag: String?
  /// The encoded system fields of the record that the server has now; nil for a deletion.
  package let systemFields: [UInt8]?
  /// Digests of the properties that were sent, by ordinal.
  package let digests: [Int: UInt64]

  package init(
    _ entry: OutboxEntry, tag: String?, systemFields: [UInt8]?, digests: [Int: UInt64] = [:]
  ) {
    self.entry = entry
    self.tag = tag
    self.systemFields = systemFields
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
