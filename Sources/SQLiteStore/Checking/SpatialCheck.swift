/// How to find rows that an index over regions has not, or has in another place.
package struct SpatialCheck {
  /// The index, which is a table.
  package let name: String
  package let table: String
  /// A query of the keys of rows that are not where they should be.
  package let rowsOutOfPlace: String
  /// A query of the keys that the index has and no row.
  package let keysWithoutRows: String
}

extension SpatialIndex {
  /// The columns of the table beside its key: the extents of each value.
  var columnsOfRegions: [String] { columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] } }

  /// The index has coordinates of single precision, rounded outwards.
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
