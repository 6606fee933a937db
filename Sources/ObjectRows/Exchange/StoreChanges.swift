package import Foundation
package import ManagedObjectModel

/// The changes of one save to one store, which are written in one transaction or not at all.
///
/// All keys are permanent: `reserveKeys` was called before.
package struct StoreChanges {
  package var inserted: ContiguousArray<RowChange> = []
  package var updated: ContiguousArray<RowChange> = []
  package var deleted: ContiguousArray<RowDeletion> = []
  package var memberships: [MembershipChange] = []
  package var transaction: TransactionDescription

  package init(transaction: TransactionDescription) {
    self.transaction = transaction
  }

  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && memberships.isEmpty
  }
}

/// A row to insert, or to update.
package struct RowChange {
  /// The layout, which belongs to the caller, like the row.
  ///
  /// It is not retained for each of many rows.
  @safe package unowned(unsafe) let layout: RowLayout
  /// The values.
  ///
  /// The header has the key and the base version of the change (0 for a new row).
  ///
  /// The caller owns the memory until the save ends.
  package let row: RowReference
  /// The changed properties, including to-many relationships.
  ///
  /// An update writes only those with a slot. The others are for the history. The set is empty for
  /// a new row, which is written in full.
  package let changed: OrdinalSet
  /// The version that the stored row must have, or nil to overwrite any version.
  package let expectedVersion: Int64?

  package init(layout: RowLayout, row: RowReference, changed: OrdinalSet, expectedVersion: Int64?) {
    self.layout = layout
    self.row = row
    self.changed = changed
    self.expectedVersion = expectedVersion
  }
}

/// A row to delete.
package struct RowDeletion {
  /// The layout, which belongs to the caller.
  ///
  /// It is not retained for each of many rows.
  @safe package unowned(unsafe) let layout: RowLayout
  package let key: Int64
  /// The version that the stored row must have, or nil to delete any version.
  package let expectedVersion: Int64?

  package init(layout: RowLayout, key: Int64, expectedVersion: Int64?) {
    self.layout = layout
    self.key = key
    self.expectedVersion = expectedVersion
  }
}

/// A change of a to-many relationship that is not visible in slots: rows of a join table, and
/// orders.
///
/// One side's change is enough to add or remove a pair of a many-to-many relationship. Each ordered
/// side needs a change with its order.
package struct MembershipChange {
  package let relationship: NSRelationshipDescription
  /// The layout of the owner's own entity.
  package let layout: RowLayout
  package let owner: Int64
  /// The added members, for many-to-many relationships.
  package var added: [RowKey]
  /// The removed members, for many-to-many relationships.
  package var removed: [RowKey]
  /// All members in order, if the relationship is ordered and its order or members changed.
  package var order: [RowKey]?

  package init(
    relationship: NSRelationshipDescription, layout: RowLayout, owner: Int64, added: [RowKey] = [],
    removed: [RowKey] = [], order: [RowKey]? = nil
  ) {
    self.relationship = relationship
    self.layout = layout
    self.owner = owner
    self.added = added
    self.removed = removed
    self.order = order
  }
}

/// The originator of a save, for the history.
package struct TransactionDescription: Sendable {
  package var author: String?
  package var contextName: String?
  package var bundleID: String
  package var processID: String
  package var date: Date

  package init(
    author: String?, contextName: String?, bundleID: String, processID: String, date: Date
  ) {
    self.author = author
    self.contextName = contextName
    self.bundleID = bundleID
    self.processID = processID
    self.date = date
  }
}

/// The outcome of a save.
package enum StoreSaveOutcome {
  case saved(StoreSaveReceipt)
  /// Nothing was written because of these conflicts.
  case conflicts([StoreConflict])
}

/// The result of a successful save.
///
/// Inserted rows have version 1. Updated rows have the expected version plus 1, or the stored
/// version plus 1 if none was expected.
package struct StoreSaveReceipt {
  /// The number of the history transaction, if the store keeps a history.
  package var transactionNumber: Int64?
  /// The new versions of rows that were updated without an expected version, by key.
  package var versions: [RowKey: Int64] = [:]
  /// The rows with values that the store computed, whether or not the save wrote them.
  ///
  /// The computation does not change the rows' versions.
  package var derivedRows: [RowKey] = []

  package init() {}
}

/// The reason why a row could not be written.
package enum StoreConflict {
  /// The stored row has another version than the change's base version.
  ///
  /// `persisted` is the stored row, on a separate page, or nil if it was deleted.
  case version(RowKey, isDeletion: Bool, persisted: RowPage?)
  /// Rows of the save and of the store have equal values for a uniqueness constraint.
  ///
  /// `persisted` is the stored row, or nil if only rows of the save conflict with each other.
  case uniqueness(
    constraint: [String], entity: NSEntityDescription, rows: [RowKey], persisted: RowPage?)
}
