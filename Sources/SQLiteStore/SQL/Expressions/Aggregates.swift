import PredicateLanguage

extension QueryWriter {
  /// The value of a collection operator: `rel.@count`, `rel.@sum.attr`, `rel.attr.@sum`.
  func aggregate(
    _ collection: Collection, at place: Int, _ context: RowContext
  ) throws(TranslationError) -> SQLValue {
    guard let function = ExpressionFunction(collectionOperator: collection.rest[place]) else {
      throw .unsupported(
        "the collection operator \(collection.rest[place])",
        "Use @count, @sum, @avg, @min, @max or SUBQUERY.")
    }
    var collection = collection
    collection.rest = collection.rest[..<place] + collection.rest[(place + 1)...]
    return try aggregate(function, of: collection, context)
  }

  private func aggregate(
    _ function: ExpressionFunction, of collection: Collection, _ context: RowContext
  ) throws(TranslationError) -> SQLValue {
    let (rows, inner) = try rows(of: collection, context)
    let element =
      function == .count && collection.rest.isEmpty
      ? SQLValue(text: "*", kind: .integer(64))
      : try elementValue(of: collection, rows, inner.optional)
    let isOverGroup = context.group?.isGrouped == true
    if isOverGroup { groupFunctions += 1 }
    if function == .count {
      let count = rows.text(selecting: "COUNT(*)")
      return isOverGroup
        ? SQLValue(text: "SUM(\(count))", kind: .integer(64))
        : SQLValue(text: count, kind: .integer(64), existence: rows.existence)
    }
    let result = try aggregate(function, of: element)
    if isOverGroup {
      return SQLValue(text: overGroup(function, of: element, result, rows), kind: result.kind)
    }
    let text = rows.text(selecting: result.text)
    // Sums and averages of nothing are 0.
    let isNeverNull = function == .sum || function == .average
    return SQLValue(text: isNeverNull ? "IFNULL(\(text), 0)" : text, kind: result.kind)
  }

  /// An aggregate over the members of all rows of a group, from the aggregates of each row.
  private func overGroup(
    _ function: ExpressionFunction, of element: SQLValue, _ result: SQLValue, _ rows: CollectionRows
  ) -> SQLText {
    let text = rows.text(selecting: result.text)
    switch function {
    case .average:
      let sum = rows.text(selecting: "TOTAL(\(element.text))")
      return "TOTAL(\(sum)) / SUM(\(rows.text(selecting: "COUNT(\(element.text))")))"
    case .min: return "MIN(\(text))"
    case .max: return "MAX(\(text))"
    default: return "IFNULL(\(result.sumFunction)(\(text)), 0)"
    }
  }

  /// An aggregate function of SQL.
  private func aggregate(_ function: ExpressionFunction, of value: SQLValue)
    throws(TranslationError) -> SQLValue
  {
    switch function {
    case .sum, .average:
      guard value.kind.isNumber || value.kind == .date else { throw function.refusal }
      if function == .average {
        return SQLValue(
          text: "AVG(\(value.text))", kind: value.kind == .decimal ? .decimal : .double)
      }
      let kind: ValueKind = value.kind.isWhole ? .integer(64) : value.kind.ofSum
      return SQLValue(text: "\(value.sumFunction)(\(value.text))", kind: kind)
    case .min, .max:
      guard value.kind.isOrdered else { throw function.refusal }
      return SQLValue(text: "\(function == .min ? "MIN" : "MAX")(\(value.text))", kind: value.kind)
    case .count: return SQLValue(text: "COUNT(\(value.text))", kind: .integer(64))
    default:
      throw .function(function.name, "A store computes count:, sum:, average:, min: and max: only.")
    }
  }

  // MARK: Functions

  /// `count:(…)`, `sum:(…)` and the like: over a to-many relationship, or over the rows of a group.
  func aggregate(
    _ function: ExpressionFunction, _ arguments: [Operand], _ context: RowContext
  ) throws(TranslationError) -> SQLValue {
    guard arguments.count == 1 else { throw function.refusal }
    if case .function(.distinct, let inner) = arguments[0], inner.count == 1, function == .count {
      return try distinctCount(inner[0], context)
    }
    let side = try side(arguments[0], context.optional)
    if case .collection(let collection) = side {
      return try aggregate(function, of: collection, context.optional)
    }
    guard context.group?.allowsAggregates == true else {
      throw .function(
        "\(function.name) of something that is no collection",
        "In a predicate, name a to-many key path; to compute over all rows, fetch dictionaries with an "
          + "NSExpressionDescription.")
    }
    return try aggregateOfGroup(function, try value(side), isRow: arguments[0] == .row(.object))
  }

  private func aggregateOfGroup(
    _ function: ExpressionFunction, _ value: SQLValue, isRow: Bool
  ) throws(TranslationError) -> SQLValue {
    groupFunctions += 1
    if function == .count, isRow { return SQLValue(text: "COUNT(*)", kind: .integer(64)) }
    var result = try aggregate(function, of: value)
    if function == .sum { result.text = "IFNULL(\(result.text), 0)" }
    return result
  }

  private func distinctCount(_ operand: Operand, _ context: RowContext) throws(TranslationError)
    -> SQLValue
  {
    guard context.group?.allowsAggregates == true else { throw ExpressionFunction.distinct.refusal }
    groupFunctions += 1
    let value = try value(operand, context.optional)
    return SQLValue(text: "COUNT(DISTINCT \(value.text))", kind: .integer(64))
  }

  /// `@count`, `@sum.attr` and `attr.@sum` over the rows of a group.
  func groupValue(_ root: PathRoot, _ path: PropertyPath, _ context: RowContext)
    throws(TranslationError) -> SQLValue?
  {
    guard root == .object, context.group?.allowsAggregates == true,
      let place = path.components.firstIndex(where: { $0.hasPrefix("@") }),
      let function = ExpressionFunction(collectionOperator: path.components[place])
    else { return nil }
    let rest = path.components[..<place] + path.components[(place + 1)...]
    let target = try target(of: rest[...], from: context.object, as: path.text, context.optional)
    guard case .value(let value) = target else { return nil }
    return try aggregateOfGroup(function, value, isRow: rest.isEmpty)
  }
}

extension ExpressionFunction {
  /// The function of a collection operator; nil if SQL has no such function.
  fileprivate init?(collectionOperator name: String) {
    switch name {
    case "@count": self = .count
    case "@sum": self = .sum
    case "@avg": self = .average
    case "@min": self = .min
    case "@max": self = .max
    default: return nil
    }
  }
}

extension SQLValue {
  /// The function that adds such values: a sum of large whole numbers must not fail.
  ///
  /// Whole decimals are integers in the file.
  fileprivate var sumFunction: String {
    switch kind {
    case .integer(64), .decimal, .unknown: WholeSum.name
    default: kind.isWhole && !isColumn ? WholeSum.name : "SUM"
    }
  }
}

extension ValueKind {
  /// The kind of a sum of values that are not integers.
  fileprivate var ofSum: ValueKind { self == .float || self == .date ? .double : self }
}
