import ManagedObjectModel
import PredicateLanguage

extension QueryWriter {
  /// The SQL of a fetch of dictionaries, and the meaning of its columns.
  func dictionaries(
    _ dictionary: DictionaryShape, _ shape: FetchShape, _ condition: SQLText, _ context: RowContext
  ) throws(TranslationError) -> (SQLText, [ResultColumn]) {
    var columns = DictionaryColumns()
    var context = context.optional
    context.group = GroupContext(allowsAggregates: true, isGrouped: !dictionary.groups.isEmpty)
    for column in dictionary.columns {
      var own = context
      if dictionary.groups.contains(column.name) { own.group?.isGrouped = false }
      try add(column, to: &columns, own)
    }
    guard !columns.results.isEmpty else {
      throw TranslationError(
        "propertiesToFetch is empty", "Name the properties that the dictionaries should have.")
    }
    context.group?.expressions = columns.expressions
    let groups = try groupClause(dictionary, columns, context)
    let having = try conjunction(dictionary.having, context)
    guard having.isEmpty || !dictionary.groups.isEmpty else {
      throw TranslationError(
        "havingPredicate without propertiesToGroupBy", "Group by a property, or use the predicate.")
    }
    let isPlain = dictionary.groups.isEmpty && !dictionary.isDistinct && columns.aggregates.isEmpty
    let order = try order(shape.order, context, endingWithKey: isPlain)
    let havingClause: SQLText = having.isEmpty ? "" : " HAVING \(having.joined(by: " AND "))"
    let sql: SQLText = """
      SELECT \(dictionary.isDistinct ? "DISTINCT " : "")\(columns.texts.joined(by: ", ")) \
      FROM \(context.select.from)\(condition)\(groups)\(havingClause)\(order)\(bounds(shape))
      """
    return (sql, columns.results)
  }

  // MARK: Columns

  private func add(
    _ column: ColumnShape, to columns: inout DictionaryColumns, _ context: RowContext
  ) throws(TranslationError) {
    guard !columns.results.contains(where: { $0.name == column.name }) else { return }
    switch column.content {
    case .property(let path):
      var plain = context
      plain.group = nil
      if let leaves = try composite(path, plain) { return columns.add(leaves, named: column.name) }
      guard case .value(let value) = try side(.path(.object, path), plain) else {
        throw TranslationError(
          "Invalid to many relationship in setPropertiesToFetch: (\(path.text))",
          "Dictionaries hold attributes, to-one relationships and expressions; fetch the members by themselves."
        )
      }
      try columns.add(value, value.kind.result(wanted: 0), named: column.name)
    case .expression(let operand):
      let before = groupFunctions
      let value = try value(operand, context)
      columns.expressions[column.name] = value
      if groupFunctions > before { columns.aggregates.insert(column.name) }
      if operand.isConstant { columns.constants.insert(column.name) }
      // Integer arithmetic that overflows 64 bits gives a real.
      let isOpen = column.type == 0 && value.kind.isWhole && !value.isColumn
      try columns.add(
        value, isOpen ? .any : value.kind.result(wanted: column.type), named: column.name)
    }
  }

  /// The leaves of a composite attribute, if the path names the composite itself.
  private func composite(
    _ path: PropertyPath, _ context: RowContext
  ) throws(TranslationError) -> [(path: [String], value: SQLValue)]? {
    guard path.components.count == 1,
      let property = try property(path.text, of: context.object.entity),
      let column = property.column, column.isComposite
    else { return nil }
    var leaves: [(path: [String], value: SQLValue)] = []
    for leaf in column.leaves {
      guard let kind = ValueKind(leaf.attribute) else { continue }
      let text: SQLText = "\(alias(of: context.object, context)).\(leaf.name)"
      leaves.append((leaf.path, SQLValue(text: text, kind: kind)))
    }
    return leaves
  }

  // MARK: Groups

  private func groupClause(
    _ dictionary: DictionaryShape, _ columns: DictionaryColumns, _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    guard !dictionary.groups.isEmpty else { return "" }
    var terms: [SQLText] = []
    var context = context
    context.group?.isGrouped = false
    for name in dictionary.groups {
      guard !columns.aggregates.contains(name) else {
        throw TranslationError(
          "the aggregate \(name) is in propertiesToGroupBy", "Group by properties of the rows.")
      }
      terms.append(try value(.path(.object, PropertyPath(name)), context).text)
    }
    for column in dictionary.columns
    where !columns.aggregates.contains(column.name) && !columns.constants.contains(column.name) {
      guard dictionary.groups.contains(column.name) else {
        throw TranslationError(
          "SELECT clauses in queries with GROUP BY components can only contain properties named in the GROUP BY or "
            + "aggregate functions (\(column.name) is not in the GROUP BY)",
          "Add \(column.name) to propertiesToGroupBy, or fetch an aggregate of it.")
      }
    }
    return " GROUP BY \(terms.joined(by: ", "))"
  }
}

/// The columns of a fetch of dictionaries, while they are collected.
private struct DictionaryColumns {
  var texts: [SQLText] = []
  var results: [ResultColumn] = []
  /// The fetched expressions, by name.
  var expressions: [String: SQLValue] = [:]
  /// The names of the expressions that are aggregated over a group.
  var aggregates: Set<String> = []
  /// The names of the expressions that are the same for all rows.
  var constants: Set<String> = []

  mutating func add(_ value: SQLValue, _ kind: ResultKind?, named name: String)
    throws(TranslationError)
  {
    guard let kind else {
      throw TranslationError(
        "the expression \(name) has no value of its expressionResultType",
        "Choose the type that the value has.")
    }
    let place = texts.count
    texts.append(value.text)
    guard case .object(let layout) = kind else {
      return results.append(ResultColumn(name: name, content: .value(kind, column: place)))
    }
    guard let number = value.entityNumber, Int(number.text) == nil else {
      return results.append(
        ResultColumn(name: name, content: .value(.object(layout: layout), column: place)))
    }
    texts.append(number)
    results.append(ResultColumn(name: name, content: .value(.objectOfNumber, column: place)))
  }

  mutating func add(_ leaves: [(path: [String], value: SQLValue)], named name: String) {
    var parts: [(path: [String], kind: ResultKind, column: Int)] = []
    for leaf in leaves {
      guard let kind = leaf.value.kind.result(wanted: 0) else { continue }
      parts.append((leaf.path, kind, texts.count))
      texts.append(leaf.value.text)
    }
    results.append(ResultColumn(name: name, content: .composite(parts)))
  }
}
