import ManagedObjectModel
import PredicateLanguage
import SQLiteDriver
import TextMatching

/// Writes searches for words.
struct FullTextSearches {
  let writer: QueryWriter

  /// The SQL of a search for words.
  ///
  /// It searches the table's full-text index, or each row if no index has the attributes.
  func text(_ search: FullTextSearch, _ context: RowContext) throws(TranslationError) -> SQLText {
    if search.query.kind == .null { return "0" }
    guard search.query.kind == .text else {
      throw .unsupported("a search for anything but a text", "Give the words as a String.")
    }
    var columns: [String] = []
    var row: RowSource?
    for operand in search.texts {
      let (source, column) = try searchedText(operand, context)
      guard row == nil || row === source else {
        throw .unsupported(
          "a search in several objects at once",
          "Combine a search for each of the objects with OR.")
      }
      row = source
      columns.append(column)
    }
    guard let row else { return "0" }
    guard let index = writer.fullTextIndexes[row.entity.table], index.contains(columns) else {
      return scan(columns, of: row, search.query, context)
    }
    let words = SQLText(.constant(search.query.index, .fullText))
    let match: SQLText = "MATCH '\(index.filter(columns))(' || \(words) || ')'"
    let found: SQLText =
      "\(row.key) IN (SELECT rowid FROM \(index.name) WHERE \(index.name) \(match))"
    // Without a row there is no text, so the search is false rather than unknown.
    return context.isNegated && !row.isCertain ? "IFNULL(\(found), 0)" : found
  }

  private func scan(
    _ columns: [String], of row: RowSource, _ query: Constant, _ context: RowContext
  ) -> SQLText {
    let alias = writer.alias(of: row, context.optional)
    let texts = columns.map { "\(alias).\($0)" }.joined(separator: ", ")
    return "\(Connection.fullTextFunction)(\(SQLText(.constant(query.index, .text))), \(texts))"
  }

  /// The row and the column of a searched attribute.
  private func searchedText(_ operand: Operand, _ context: RowContext) throws(TranslationError)
    -> (RowSource, String)
  {
    guard case .path(let root, let path) = operand, let name = path.components.last else {
      throw .unsupported(
        "a search in anything but attributes", "Name the key paths of String attributes.")
    }
    var source = try writer.source(of: root, context)
    for key in path.components.dropLast() {
      source = try destination(key, of: source, path, context)
    }
    guard let property = try writer.property(name, of: source.entity) else {
      throw .unknownKeyPath(path.text, of: source.entity.name)
    }
    guard let attribute = property.description as? NSAttributeDescription,
      attribute.attributeType == .stringAttributeType, let column = property.column
    else {
      throw .unsupported(
        "a search in \(path.text), which is not a stored String of \(source.entity.name)",
        "Name the key paths of String attributes.")
    }
    return (source, column.name)
  }

  private func destination(
    _ key: String, of source: RowSource, _ path: PropertyPath, _ context: RowContext
  ) throws(TranslationError) -> RowSource {
    guard let property = try writer.property(key, of: source.entity),
      let relationship = property.description as? NSRelationshipDescription
    else { throw .unknownKeyPath(path.text, of: source.entity.name) }
    guard !relationship.isToMany else { throw .toMany(path.text) }
    return try writer.destination(of: relationship, property, from: source, as: path.text, context)
  }
}

extension Connection {
  static let fullTextFunction = "ParhelionContainsWords"

  /// Registers the SQL function that searches texts without an index.
  ///
  /// Its arguments are the query and the texts.
  func registerFullTextSearch() throws(SQLiteError) {
    try register(function: Self.fullTextFunction, arity: .any, traits: .deterministic) {
      arguments in
      guard arguments.count > 1, !arguments.isNull(at: 0) else { return .integer(0) }
      let search = arguments.auxiliary(at: 0) { Search(arguments.text(at: 0) ?? "") }
      let texts = (1..<arguments.count).compactMap { arguments.text(at: $0) }
      return .integer(search.query.matches(texts) ? 1 : 0)
    }
  }

  /// A parsed query, which SQLite keeps with the statement so that it is parsed once.
  private final class Search {
    let query: FullTextQuery
    init(_ text: String) { query = FullTextQuery(text) }
  }
}
