/// An entry of the dictionaries of a fetch: its name, and the location and kind of its value in a
/// row.
package struct ResultColumn: Sendable {
  package let name: String
  let content: Content

  indirect enum Content: Sendable {
    /// A value in a column.
    case value(ResultKind, column: Int)
    /// The elements of a composite attribute, each with its path of names.
    case composite([(path: [String], kind: ResultKind, column: Int)])
  }
}
