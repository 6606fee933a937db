import PredicateLanguage
import SQLiteDriver
import TextMatching

extension QueryWriter {
  /// The ORDER BY clause; empty if no order is requested, so that SQLite can use any index.
  ///
  /// Rows that are equal under all descriptors are sorted by key, in the last descriptor's
  /// direction. So the order is total, and an index can still provide it.
  func order(_ order: [SortShape], _ context: RowContext, endingWithKey: Bool)
    throws(TranslationError) -> SQLText
  {
    guard !order.isEmpty else { return "" }
    var terms: [SQLText] = []
    var isAscending = true
    var endsWithKey = false
    for sort in order {
      let value = try value(of: sort, context.optional)
      terms.append("\(value.text)\(collation(of: sort, value))\(sort.isAscending ? "" : " DESC")")
      isAscending = sort.isAscending
      endsWithKey = endsWithKey || value.text.text == context.object.key
    }
    if endingWithKey, !endsWithKey {
      terms.append("\(context.object.key)\(isAscending ? "" : " DESC")")
    }
    return " ORDER BY \(terms.joined(by: ", "))"
  }

  private func value(of sort: SortShape, _ context: RowContext) throws(TranslationError) -> SQLValue
  {
    guard let path = sort.path else { return keyValue(of: context.object) }
    let side = try side(.path(.object, path), context)
    guard case .value(let value) = side,
      !path.components.contains(where: { $0.hasPrefix("@") }) || context.group != nil
    else { throw .toMany(path.text) }
    guard value.kind.isSortable else {
      throw TranslationError(
        "unsupported sort by \(path.text)",
        "Its values have no order; sort by another attribute.")
    }
    return value.kind == .entityName ? schema.entityName(ofNumber: value) : value
  }

  private func collation(of sort: SortShape, _ value: SQLValue) -> String {
    guard let rule = sort.collation, value.kind.isText else { return "" }
    return " COLLATE \(rule.collationName)"
  }
}

extension ValueKind {
  fileprivate var isSortable: Bool {
    switch self {
    case .encoded, .data(isTagged: true), .entity: false
    default: true
    }
  }
}

extension StoreSchema {
  /// The name of the entity with a number.
  fileprivate func entityName(ofNumber number: SQLValue) -> SQLValue {
    let names = entities.map { "WHEN \($0.number) THEN \(SQLLiteral.text($0.name))" }
    return SQLValue(
      text: "CASE \(number.text) \(names.joined(separator: " ")) END", kind: .text)
  }
}
