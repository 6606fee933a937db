/// An index of a store.
package struct IndexSchema: Hashable, Sendable {
  /// One column of an index.
  package struct Element: Hashable, Sendable {
    /// The column's name, or a computed value in parentheses.
    package let column: String
    /// Whether the order is ascending; nil if the definition does not say.
    package let isAscending: Bool?

    static func plain(_ column: String) -> Element { Element(column: column, isAscending: nil) }
    static func ordered(_ column: String, ascending: Bool = true) -> Element {
      Element(column: column, isAscending: ascending)
    }

    var definition: String {
      isAscending.map { "\(column) COLLATE BINARY \($0 ? "ASC" : "DESC")" } ?? column
    }
  }

  package let name: String
  package let table: String
  package let elements: [Element]
  package var isUnique = false
  /// The condition of a partial index, or nil if the index contains every row.
  package var condition: String?

  /// The statement that creates the index.
  package var definition: String {
    let columns = elements.map(\.definition).joined(separator: ", ")
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table) (\(columns))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }
}
