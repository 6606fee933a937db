package import Foundation
package import ManagedObjectModel

/// What one save asks of one store: done as a whole, in one transaction, or not at all.
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
  /// The layout, which belongs to the caller like the row: that of each of many rows is not held by
  /// each of them.
  @safe package unowned(unsafe) let layout: RowLayout
  /// The values; the header has the key, and the version that the change is based on (0 for a new
  /// row).
  ///
  /// The memory belongs to the caller for as long as the save lasts.
  package let row: RowReference
  /// The properties that were changed, to-many relationships included.
  ///
  /// Only those with a slot are written by an update; the others count in history. It is empty for
  /// a new row, which is written whole.
  package let changed: OrdinalSet
  /// The version that the store's row must have, or nil to write over any version.
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
  /// The layout, which belongs to the caller: that of each of many rows is not held by each of
  /// them.
  @safe package unowned(unsafe) let layout: RowLayout
  package let key: Int64
  /// The version that the store's row must have, or nil to delete any version.
  package let expectedVersion: Int64?

  package init(layout: RowLayout, key: Int64, expectedVersion: Int64?) {
    self.layout = layout
    self.key = key
    self.expectedVersion = expectedVersion
  }
}

/// A change of a to-many relationship that the slots of rows do not show: rows of a join table, and
/// orders.
///
/// Of a many-to-many relationship and its inverse, a change is told once for each pair, from the
/// side that the store names first; orders of both sides are told where they are ordered.
package struct MembershipChange {
  package let relationship: NSRelationshipDescription
  /// The layout of the owner's own entity.
  package let layout: RowLayout
  package let owner: Int64
  /// Members that are new, for many-to-many relationships.
  package var added: [RowKey]
  /// Members that are gone, for many-to-many relationships.
  package var removed: [RowKey]
  /// All members in order, where the relationship is ordered and its order or its members changed.
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

/// Who saved, for the history.
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

/// What became of a save.
package enum StoreSaveOutcome {
  case saved(StoreSaveReceipt)
  /// Nothing was written: these rows stand against it.
  case conflicts([StoreConflict])
}

/// What a store did.
///
/// Every inserted row now has version 1, every updated one its expected version, or the one that
/// the store had, plus 1.
package struct StoreSaveReceipt {
  /// The number of the history transaction, if the store keeps a history.
  package var transactionNumber: Int64?
  /// The versions of updated rows that were written over whatever version the store had, by key.
  package var versions: [RowKey: Int64] = [:]
  /// The rows of which the store computed values, whether or not the save wrote them; their
  /// versions stay.
  package var derivedRows: [RowKey] = []

  package init() {}
}

/// Why a row could not be written.
package enum StoreConflict {
  /// The store's row has another version than the change is based on.
  ///
  /// `persisted` is the store's row now, on a page of its own, or nil where it was deleted.
  case version(RowKey, isDeletion: Bool, persisted: RowPage?)
  /// Rows of the save and of the store have the same values in a uniqueness constraint.
  ///
  /// `persisted` is the store's row, or nil where only rows of the save stand against each other.
  case uniqueness(
    constraint: [String], entity: NSEntityDescription, rows: [RowKey], persisted: RowPage?)
}
