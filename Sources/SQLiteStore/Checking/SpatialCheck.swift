/// The queries that find differences between rows and an R-tree index.
package struct SpatialCheck {
  /// The index's virtual table.
  package let name: String
  package let table: String
  /// A query for the keys of rows that the index lacks or places elsewhere.
  package let rowsOutOfPlace: String
  /// A query for the keys that the index has without a row.
  package let keysWithoutRows: String
}

extension SpatialIndex {
  /// The columns of the virtual table other than its key: the bounds of each value.
  var columnsOfRegions: [String] { columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] } }

  /// The queries that check this index.
  ///
  /// An R-tree has coordinates of single precision, rounded outwards.
  var check: SpatialCheck {
    let isIndexed = (columns.map { "T.\($0) NOT NULL" } + [condition("T")].compactMap { $0 })
      .joined(separator: " AND ")
    let isInPlace = columns.map { "R.\($0)_MIN <= T.\($0) AND R.\($0)_MAX >= T.\($0)" }.joined(
      separator: " AND ")
    return SpatialCheck(
      name: name, table: table,
      rowsOutOfPlace:
        "SELECT T.Z_PK FROM \(table) T LEFT JOIN \(name) R ON R.Z_PK = T.Z_PK WHERE \(isIndexed) AND (R.Z_PK IS NULL OR NOT (\(isInPlace))) ORDER BY T.Z_PK",
      keysWithoutRows:
        "SELECT R.Z_PK FROM \(name) R LEFT JOIN \(table) T ON T.Z_PK = R.Z_PK WHERE T.Z_PK IS NULL OR NOT (\(isIndexed)) ORDER BY R.Z_PK"
    )
  }
}
