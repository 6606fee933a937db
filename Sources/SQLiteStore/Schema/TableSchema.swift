/// A table of rows: that of a root entity and all its descendants.
package struct TableSchema: Sendable {
  package let name: String
  /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of the definition.
  package let columns: [TableColumn]
  /// The entities whose rows it contains, the root first.
  package let entities: [EntitySchema]
  /// The columns with the keys of owners, for relationships without an inverse.
  package let ownerColumns: [OwnerColumn]
  /// The join tables that are named after its entities.
  package let joinTables: [JoinTable]
}

/// A column of a table of rows.
package struct TableColumn: Hashable, Sendable {
  package let name: String
  package let kind: ColumnKind
}
