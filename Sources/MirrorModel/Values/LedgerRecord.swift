package import CloudRecords
package import Foundation
package import ObjectRows

/// The ledger's knowledge of the record of an object or a pair.
package struct LedgerRecord: Hashable, Sendable {
  package let subject: OutboxEntry.Subject
  package let identifier: RecordIdentifier
  /// The tag of the server's last known version; nil if unknown.
  package let tag: String?
  /// The encoded system fields of the server's last known version.
  package let systemFields: [UInt8]?
  /// The pending change; nil if the server has everything.
  package let pending: OutboxEntry.Kind?
  /// The locally changed properties, which win over the server's; of an insertion, only those that
  /// changed since it was first sent.
  package let changed: OrdinalSet
  /// Whether the changed properties of an object are unknown, so that all count as changed.
  package let isChangeUnknown: Bool
  /// The changed properties that were sent, not answered, and not changed since.
  package let unanswered: OrdinalSet
  /// The unanswered properties that requests before the latest one sent with the same value, and
  /// which may arrive in its place; nil if there were none.
  package let earlier: OrdinalSet?
  /// Whether the server lost an object's record, so that it has to be created again.
  package let isLost: Bool
  /// Digests of the server's last known values, by ordinal (`MirrorEntity.digests`).
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
    (self.subject, self.identifier, self.tag) = (subject, identifier, tag)
    (self.systemFields, self.pending) = (systemFields, pending)
    (self.changed, self.isChangeUnknown) = (changed, isChangeUnknown)
    (self.unanswered, self.earlier) = (unanswered, earlier)
    (self.isLost, self.digests) = (isLost, digests)
    (self.moves, self.isSent) = (moves, isSent)
  }

  /// Whether no version of the record is known: if the server has it, a request of this device
  /// created it.
  ///
  /// This does not hold for moved objects and lost records, which other devices create too.
  package var isNew: Bool {
    pending == .insertion && tag == nil && digests.isEmpty && moves == 0 && !isLost
  }
}

/// How far a change of an object has been sent.
package enum ObjectSyncState: Hashable, Sendable {
  /// The ledger does not know the object: it is not mirrored, or not in the outbox yet.
  case unknown
  /// A change is pending.
  case pending(OutboxEntry.Kind)
  /// A change was sent at this time, and is not answered yet.
  case sent(Date)
  /// The server has everything since this time.
  case durable(Date)
}

/// The number and size of pending entries.
package struct PendingAmount: Hashable, Sendable {
  package var insertions = 0
  package var updates = 0
  package var deletions = 0
  /// Pairs of many-to-many relationships, to be saved or deleted.
  package var pairs = 0
  /// The bytes of the pending rows in the store: measured for up to `LedgerLimits.measuredRows`
  /// rows, estimated for more.
  package var bytes: Int64 = 0

  package init() {}

  package var count: Int { insertions + updates + deletions + pairs }
}
