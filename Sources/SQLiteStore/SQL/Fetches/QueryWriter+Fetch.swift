import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import TextMatching

extension QueryWriter {
  /// The SQL of a fetch.
  func fetch(_ shape: FetchShape) throws(TranslationError) -> TranslatedFetch {
    guard let entity = schema.entity(schema.layouts[Int32(shape.layoutIndex)]) else {
      let name = schema.layouts[Int32(shape.layoutIndex)].entity.name ?? ""
      throw TranslationError(
        "entity \(name) is not in the store",
        "Fetch from a store whose configuration has the entity.")
    }
    let alias = nextAlias()
    let select = Select(from: "\(entity.table) \(alias)")
    let context = RowContext(
      object: RowSource(entity, alias: alias, select: select), select: select)
    var conditions = entityConditions(entity, alias, shape)
    conditions += try conjunction(shape.condition, context)
    return try fetch(shape, conditions.whereClause, context)
  }

  private func fetch(
    _ shape: FetchShape, _ condition: SQLText, _ context: RowContext
  ) throws(TranslationError) -> TranslatedFetch {
    var columns: [ResultColumn] = []
    let text: SQLText
    switch shape.result {
    case .rows(let names):
      let list = (ReadPlan.leadingColumns + names).map { "t0.\($0)" }.joined(separator: ", ")
      text = try rows(SQLText(list), shape, condition, context)
    case .keys: text = try rows("t0.Z_ENT, t0.Z_PK", shape, condition, context)
    case .count: text = count(shape, condition, context)
    case .dictionaries(let dictionary):
      (text, columns) = try dictionaries(dictionary, shape, condition, context)
    case .dictionaryCount(let dictionary):
      text = "SELECT COUNT(*) FROM (\(try dictionaries(dictionary, shape, condition, context).0))"
    }
    guard text.parameters.count <= Limits.values else {
      throw TranslationError(
        "too many SQL variables: \(text.parameters.count); at most \(Limits.values) are possible",
        "Split the list of values and fetch several times.")
    }
    return TranslatedFetch(
      query(text.text, shape), text, arrays: arrays, columns: columns,
      isOrdered: !shape.order.isEmpty)
  }

  /// The query of a fetch.
  ///
  /// Unordered rows use the bulk interface. With an order or a limit, the bulk interface would copy
  /// each row once more.
  private func query(_ text: String, _ shape: FetchShape) -> RowQuery {
    guard shape.order.isEmpty, !shape.hasLimit, !shape.hasOffset else {
      return RowQuery(stepping: text)
    }
    return switch shape.result {
    case .rows(let names):
      RowQuery(collecting: text, columns: ReadPlan.leadingColumns.count + names.count)
    case .keys: RowQuery(collecting: text, columns: 2)
    case .count, .dictionaries, .dictionaryCount: RowQuery(stepping: text)
    }
  }

  private func rows(
    _ columns: SQLText, _ shape: FetchShape, _ condition: SQLText, _ context: RowContext
  ) throws(TranslationError) -> SQLText {
    let order = try order(shape.order, context, endingWithKey: true)
    return "SELECT \(columns) FROM \(context.select.from)\(condition)\(order)\(bounds(shape))"
  }

  /// Counts the rows within the limit and offset, as a fetch would return them.
  private func count(_ shape: FetchShape, _ condition: SQLText, _ context: RowContext) -> SQLText {
    let source: SQLText = "FROM \(context.select.from)\(condition)"
    guard shape.hasLimit || shape.hasOffset else { return "SELECT COUNT(*) \(source)" }
    return "SELECT COUNT(*) FROM (SELECT 1 \(source)\(bounds(shape)))"
  }

  // MARK: Parts

  /// The condition that a row belongs to the entity, if its table contains other entities too.
  private func entityConditions(_ entity: EntitySchema, _ alias: String, _ shape: FetchShape)
    -> [SQLText]
  {
    guard entity.isInHierarchy else { return [] }
    if !shape.includesSubentities || entity.subtreeNumbers.count == 1 {
      return ["\(alias).Z_ENT = \(entity.number)"]
    }
    guard !entity.isRoot else { return [] }
    let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
    return ["\(alias).Z_ENT IN (\(numbers))"]
  }

  /// The LIMIT and OFFSET clauses.
  func bounds(_ shape: FetchShape) -> SQLText {
    guard shape.hasOffset else { return shape.hasLimit ? " LIMIT \(SQLText(.limit))" : "" }
    return " LIMIT \(SQLText(.limit)) OFFSET \(SQLText(.offset))"
  }
}

extension [SQLText] {
  /// The WHERE clause; empty if there are no conditions.
  var whereClause: SQLText { isEmpty ? "" : " WHERE \(joined(by: " AND "))" }
}
