import ManagedObjectModel
import ObjectRows

/// A row of an in-memory store.
struct StoredRow {
  let row: RowReference
  let page: RowPage

  var layout: RowLayout { page.layout }
  var key: RowKey { RowKey(key: row.key, layoutIndex: Int32(layout.index)) }
}

/// The contents of an in-memory store at one moment.
// Sendable: pages do not change after they were added.
struct MemoryContents: @unchecked Sendable {
  let layouts: ModelLayouts
  let relationships: MemoryRelationships
  /// The rows by key, in a table for each root entity, by its layout index.
  var rows: [ChunkedTable<StoredRow>]
  /// The members of to-many relationships by owner, indexed by relationship number.
  var members: [ChunkedTable<ContiguousArray<RowKey>>]

  init(layouts: ModelLayouts) {
    self.layouts = layouts
    relationships = MemoryRelationships(layouts)
    rows = Array(repeating: ChunkedTable(), count: layouts.layouts.count)
    members = Array(repeating: ChunkedTable(), count: relationships.count)
  }

  /// The row with a key, of any entity with this root.
  func row(_ key: Int64, root: Int) -> StoredRow? { rows[root][key] }

  func row(_ key: RowKey) -> StoredRow? { rows[layouts[key.layoutIndex].rootIndex][key.key] }

  func row(_ value: ToOneValue) -> StoredRow? {
    rows[layouts[value.layoutIndex].rootIndex][value.key]
  }

  /// The destination of a to-one relationship, or nil.
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
