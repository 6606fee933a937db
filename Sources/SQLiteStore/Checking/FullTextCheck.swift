import ObjectRows
import SQLiteDriver

/// The queries that find differences between rows and a full-text index.
package struct FullTextCheck {
  /// The index's virtual table.
  package let name: String
  package let table: String
  /// Statements that index the rows again, in temporary tables.
  package let preparation: [String]
  /// A query for the keys of rows whose words differ from those in the index, and for the keys that
  /// the index has without a row.
  package let differingRows: String
  /// Statements that remove the temporary tables.
  package let removal: [String]
}

extension FullTextIndex {
  var check: FullTextCheck {
    let list = columns.joined(separator: ", ")
    let instance = "term, doc, col, offset"
    let (found, wanted) = (
      "SELECT \(instance) FROM temp.PHFFound", "SELECT \(instance) FROM temp.PHFWanted"
    )
    return FullTextCheck(
      name: name, table: table,
      preparation: [
        "CREATE VIRTUAL TABLE temp.PHFCheck USING fts5(\(list), content = '', \(Self.tokenizer))",
        "INSERT INTO temp.PHFCheck(rowid, \(list)) SELECT Z_PK, \(list) FROM main.\(table)",
        "CREATE VIRTUAL TABLE temp.PHFFound USING fts5vocab('main', '\(name)', 'instance')",
        "CREATE VIRTUAL TABLE temp.PHFWanted USING fts5vocab('temp', 'PHFCheck', 'instance')",
      ],
      differingRows:
        """
        SELECT DISTINCT doc FROM (SELECT * FROM (\(found) EXCEPT \(wanted)) \
        UNION SELECT * FROM (\(wanted) EXCEPT \(found))) ORDER BY doc
        """,
      removal: ["PHFFound", "PHFWanted", "PHFCheck"].map { "DROP TABLE IF EXISTS temp.\($0)" })
  }
}

extension FileMaintenance {
  /// The full-text indexes that the file has for a schema.
  private func fullTextIndexes(of schema: StoreSchema) -> [FullTextIndex] {
    schema.fullTextIndexes.filter { virtualColumns[$0.name.uppercased()] != nil }
  }

  /// The missing columns and triggers of full-text indexes; a file need not have the indexes.
  func fullTextGaps(of schema: StoreSchema) -> [LayoutDifference] {
    fullTextIndexes(of: schema).flatMap { index -> [LayoutDifference] in
      missingColumns(of: index).map {
        .noColumn($0, in: index.name, of: "the full-text index of \(index.table)")
      } + index.triggers.filter { !has($0) }.map { difference(for: $0, keeping: index.name) }
    }
  }

  /// The triggers of full-text indexes that the file has.
  func fullTextTriggers(of schema: StoreSchema) -> [TriggerSchema] {
    fullTextIndexes(of: schema).flatMap(\.triggers)
  }

  /// The checks of full-text indexes that have the expected columns.
  func fullTextChecks(of schema: StoreSchema) -> [FullTextCheck] {
    fullTextIndexes(of: schema).filter { missingColumns(of: $0).isEmpty }.map(\.check)
  }

  private func missingColumns(of index: FullTextIndex) -> [String] {
    let found = virtualColumns[index.name.uppercased()] ?? []
    return index.columns.filter { !found.contains($0.uppercased()) }
  }
}
