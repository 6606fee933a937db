package import CloudRecords
package import Foundation
package import ObjectRows

/// What the ledger knows of the record of an object or a pair.
package struct LedgerRecord: Hashable, Sendable {
  package let subject: OutboxEntry.Subject
  package let identifier: RecordIdentifier
  /// The tag of the server's last known version; nil where none is known.
  package let tag: String?
  /// The encoded system fields of the server's last known version.
  package let systemFields: [UInt8]?
  /// What waits to be sent of it; nil where the server has everything.
  package let pending: OutboxEntry.Kind?
  /// The properties that are ours where the server's record has them otherwise: of an update those
  /// that wait to be sent, of an insertion those that changed since it was first sent.
  package let changed: OrdinalSet
  /// Whether the changed properties of an object are unknown, so that all of them count.
  package let isChangeUnknown: Bool
  /// Those of them that were sent, without an answer, and were not changed since.
  package let unanswered: OrdinalSet
  /// Those of them of which requests before the latest one had the same value, which may arrive in
  /// its place; nil where there are no such requests.
  package let earlier: OrdinalSet?
  /// Whether the server had an object's record once and has lost it since, so that the record is to
  /// be made again.
  package let isLost: Bool
  /// Digests of what the server was last known to have of the properties, by ordinal
  /// (`MirrorEntity.digests`).
  package let digests: [Int: UInt64]
  /// The number of the record's moves between zones.
  package let moves: Int64
  /// Whether the server may have the record.
  package let isSent: Bool

  package init(
    subject: OutboxEntry.Subject, identifier: RecordIdentifier, tag: String?,
    systemFields: [UInt8]?, pending: OutboxEntry.Kind?, changed: OrdinalSet, isChangeUnknown: Bool,
    unanswered: OrdinalSet, earlier: OrdinalSet?, isLost: Bool, digests: [Int: UInt64],
    moves: Int64 = 0, isSent: Bool = true
  ) {
    self.subject = subject
    self.identifier = identifier
    self.tag = tag
    self.systemFields = systemFields
    self.pending = pending
    self.changed = changed
    self.isChangeUnknown = isChangeUnknown
    self.unanswered = unanswered
    self.earlier = earlier
    self.isLost = isLost
    self.digests = digests
    (self.moves, self.isSent) = (moves, isSent)
  }
}

/// Where a change of an object is.
package enum ObjectSyncState: Hashable, Sendable {
  /// The ledger does not know the object: it is not mirrored, or was not put in yet.
  case unknown
  /// It waits to be sent.
  case pending(OutboxEntry.Kind)
  /// It was sent at this time, and the server has not answered yet.
  case sent(Date)
  /// The server has everything since this time.
  case durable(Date)
}

/// How much waits in the outbox.
package struct PendingAmount: Hashable, Sendable {
  package var insertions = 0
  package var updates = 0
  package var deletions = 0
  /// Pairs of many-to-many relationships, to be saved or deleted.
  package var pairs = 0
  /// The bytes of the rows that wait, as the store keeps them: measured up to
  /// `LedgerLimits.measuredRows` rows, reckoned beyond.
  package var bytes: Int64 = 0

  package init() {}

  package var count: Int { insertions + updates + deletions + pairs }
}
