import ManagedObjectModel
import ObjectRows

/// The full-text index of a table: a virtual table of SQLite's FTS5, kept up to date by triggers.
///
/// It has a row for each row of the table, with the columns of all entities that share the table,
/// and stores no texts itself (`content=`). Triggers keep it equal to the table whatever writes the
/// rows: saves, batch requests, mirroring, or Apple's frameworks, which ignore tables that they do
/// not know. See `Design/0036-full-text-index.md`.
package struct FullTextIndex: Hashable, Sendable {
  package let table: String
  /// The indexed columns, ordered by bytes.
  package let columns: [String]

  package init(table: String, columns: [String]) {
    self.table = table
    self.columns = columns
  }

  /// The prefix of the names of full-text tables and of their triggers.
  static let prefix = "PHF_"

  /// The name of the virtual table.
  package var name: String { Self.prefix + table }

  /// Whether the index has these columns.
  func contains(_ columns: [String]) -> Bool { columns.allSatisfy(self.columns.contains) }

  /// The start of a query that searches only some columns.
  func filter(_ columns: [String]) -> String {
    "{" + columns.map { "\"\($0)\"" }.joined(separator: " ") + "} : "
  }

  private var columnList: String { columns.joined(separator: ", ") }

  /// The options of the virtual table that decide what a word is.
  static let tokenizer = "tokenize = 'unicode61 remove_diacritics 2'"

  // MARK: Definition

  /// The statement that creates the virtual table, which is empty.
  var definition: String {
    """
    CREATE VIRTUAL TABLE \(name) USING fts5(\(columnList), content = '\(table)', \
    content_rowid = 'Z_PK', \(Self.tokenizer), prefix = '2 3')
    """
  }

  /// The statement that indexes all rows.
  var filling: String { "INSERT INTO \(name)(\(name)) VALUES ('rebuild')" }

  /// The triggers that keep the index up to date.
  var triggers: [TriggerSchema] {
    [
      TriggerSchema(name: "\(name)_INSERT", table: table, event: "INSERT", body: addition),
      TriggerSchema(
        name: "\(name)_UPDATE", table: table,
        event: "UPDATE OF \((["Z_PK"] + columns).joined(separator: ", "))",
        body: "\(removal) \(addition)"),
      TriggerSchema(name: "\(name)_DELETE", table: table, event: "DELETE", body: removal),
    ]
  }

  private func values(_ row: String) -> String {
    (["Z_PK"] + columns).map { "\(row).\($0)" }.joined(separator: ", ")
  }

  private var addition: String {
    "INSERT INTO \(name)(rowid, \(columnList)) VALUES (\(values("NEW")));"
  }

  /// The statement that removes a row; FTS5 needs the former texts, since the index has none.
  private var removal: String {
    "INSERT INTO \(name)(\(name), rowid, \(columnList)) VALUES ('delete', \(values("OLD")));"
  }

  /// The statements that create the index, with all rows.
  var creation: [String] { [definition, filling] + triggers.map(\.definition) }
}

extension StoreSchema {
  /// The full-text indexes for the model: one for each table with an indexed attribute.
  package var fullTextIndexes: [FullTextIndex] {
    tables.compactMap { table in
      let columns = Set(table.entities.flatMap(\.fullTextColumns))
      guard !columns.isEmpty else { return nil }
      return FullTextIndex(
        table: table.name,
        columns: columns.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }
  }
}

extension EntitySchema {
  /// The columns of the String attributes that are marked “Index in Spotlight”.
  fileprivate var fullTextColumns: [String] {
    zip(layout.properties, columns).compactMap { property, column in
      guard let attribute = property as? NSAttributeDescription, let column,
        attribute.attributeType == .stringAttributeType, attribute.isIndexedBySpotlight,
        !column.isComposite
      else { return nil }
      return column.name
    }
  }
}
