/// An entry of the dictionaries that a fetch gives: its name, and where and how its value lies in a
/// row.
package struct ResultColumn: Sendable {
  package let name: String
  let content: Content

  indirect enum Content: Sendable {
    /// A value in a column.
    case value(ResultKind, column: Int)
    /// The elements of a composite attribute, each with the names that lead to it.
    case composite([(path: [String], kind: ResultKind, column: Int)])
  }
}
