import Foundation
import ManagedObjectModel
import ObjectRows

/// The changes of one save of a copy, and the pages that hold their rows.
struct CopyBatch {
  let layout: RowLayout
  private(set) var changes: StoreChanges
  /// The bytes of values that were read from files.
  private(set) var fileBytes = 0
  private var page: RowPage?
  /// The full pages that the changes still use.
  private var others: [RowPage] = []
  private let capacity: Int

  init(_ layout: RowLayout, _ transaction: TransactionDescription, capacity: Int) {
    self.layout = layout
    self.capacity = max(1, capacity)
    changes = StoreChanges(transaction: transaction)
  }

  var isEmpty: Bool { changes.isEmpty }

  /// A changeable copy of a row.
  mutating func copy(of row: RowReference) -> RowReference {
    if let page, !page.isFull { return page.appendRow(copying: row) }
    if let page { others.append(page) }
    let page = RowPage(layout: layout, capacity: capacity)
    self.page = page
    return page.appendRow(copying: row)
  }

  mutating func insert(_ row: RowReference) {
    changes.inserted.append(
      RowChange(layout: layout, row: row, changed: OrdinalSet(), expectedVersion: nil))
  }

  mutating func update(_ row: RowReference, _ changed: OrdinalSet, expecting version: Int64?) {
    changes.updated.append(
      RowChange(layout: layout, row: row, changed: changed, expectedVersion: version))
  }

  mutating func add(_ change: MembershipChange) { changes.memberships.append(change) }

  mutating func noteFile(_ bytes: Int) { fileBytes += bytes }

  /// Runs a closure with the changes, and keeps their pages alive until it returns.
  func withChanges<Result>(_ body: (StoreChanges) throws -> Result) rethrows -> Result {
    try withExtendedLifetime((page, others)) { try body(changes) }
  }
}
