import ManagedObjectModel
import ObjectRows

/// A row of a store in memory.
struct StoredRow {
  let row: RowReference
  let page: RowPage

  var layout: RowLayout { page.layout }
  var key: RowKey { RowKey(key: row.key, layoutIndex: Int32(layout.index)) }
}

/// All that a store in memory holds, at one moment.
// Sendable: pages never change once they are in here.
struct MemoryContents: @unchecked Sendable {
  let layouts: ModelLayouts
  let relationships: MemoryRelationships
  /// By the index of the root layout.
  var rows: [ChunkedTable<StoredRow>]
  /// The members of to-many relationships by owner: by the number of the relationship.
  var members: [ChunkedTable<ContiguousArray<RowKey>>]

  init(layouts: ModelLayouts) {
    self.layouts = layouts
    relationships = MemoryRelationships(layouts)
    rows = Array(repeating: ChunkedTable(), count: layouts.layouts.count)
    members = Array(repeating: ChunkedTable(), count: relationships.count)
  }

  /// The row of a key, of the layout's entity or of one that has the same root.
  func row(_ key: Int64, root: Int) -> StoredRow? { rows[root][key] }

  func row(_ key: RowKey) -> StoredRow? { rows[layouts[key.layoutIndex].rootIndex][key.key] }

  func row(_ value: ToOneValue) -> StoredRow? {
    rows[layouts[value.layoutIndex].rootIndex][value.key]
  }

  /// Where a to-one relationship leads, or nil for nowhere.
  func destination(_ ordinal: Int, of stored: StoredRow) -> StoredRow? {
    let slot = stored.layout.slot(ordinal)
    guard slot.kind == .toOne, !slot.isNull(in: stored.row) else { return nil }
    return row(slot.load(from: stored.row, as: ToOneValue.self))
  }

  /// The members of a to-many relationship, in order.
  func members(_ ordinal: Int, of stored: StoredRow) -> ContiguousArray<RowKey> {
    guard let number = relationships.number(ordinal, of: stored.layout) else { return [] }
    return members[number][stored.row.key] ?? []
  }
}
