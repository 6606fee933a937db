/// An index of a store.
package struct IndexSchema: Hashable, Sendable {
  /// One column of an index.
  package struct Element: Hashable, Sendable {
    package let column: String
    /// Whether the lowest value comes first; nil where the definition does not say.
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

  /// The statement that creates the index.
  package var definition: String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table) (\(elements.map(\.definition).joined(separator: ", ")))"
  }
}
