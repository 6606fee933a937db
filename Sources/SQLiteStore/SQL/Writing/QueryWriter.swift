import ObjectRows

/// Writes the SQL for the shape of a fetch.
///
/// It does not know the values, so its SQL serves every fetch of the same shape.
final class QueryWriter {
  let schema: StoreSchema
  /// The full-text indexes of the file, by table.
  let fullTextIndexes: [String: FullTextIndex]
  private var aliasCount = 0
  private(set) var arrays: [ArrayParameter] = []
  /// The number of functions that were written over the rows of a group.
  var groupFunctions = 0

  init(schema: StoreSchema, fullTextIndexes: [FullTextIndex] = []) {
    self.schema = schema
    self.fullTextIndexes = Dictionary(
      fullTextIndexes.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A name for a table, such as t0.
  func nextAlias() -> String {
    defer { aliasCount += 1 }
    return "t\(aliasCount)"
  }

  /// The integer array for a constant list, as a subselect.
  func array(for constant: Constant, as form: BindingEncoding) -> SQLText {
    arrays.append(ArrayParameter(constant: constant.index, form: form))
    return "(SELECT * FROM _Z_intarray\(arrays.count - 1))"
  }
}

/// The context of a piece of SQL.
struct RowContext {
  /// The row that the condition tests.
  let object: RowSource
  /// The innermost SELECT.
  let select: Select
  /// The rows that the variables of subqueries refer to.
  var variables: [String: RowSource] = [:]
  /// Whether every row of the result must satisfy the condition.
  var isRequired = true
  /// Whether the condition is negated, so that NULL and false differ.
  var isNegated = false
  /// The meaning of aggregate functions and of names of fetched expressions; nil if there is none.
  var group: GroupContext?

  /// The context of a condition that need not hold.
  var optional: RowContext {
    var context = self
    context.isRequired = false
    return context
  }

  var negated: RowContext {
    var context = optional
    context.isNegated.toggle()
    return context
  }

  /// The context of a SELECT inside this one.
  func inner(_ select: Select) -> RowContext {
    var context = RowContext(object: object, select: select)
    context.variables = variables
    return context
  }

  func isRequired(_ source: RowSource) -> Bool { isRequired && source.select === select }
}

/// The meaning of names in the conditions and orders of a fetch of dictionaries.
struct GroupContext {
  /// Whether functions over collections aggregate the group's rows.
  var allowsAggregates = false
  /// Whether rows are grouped, so that a function of a to-many relationship covers the members of
  /// all rows of a group.
  var isGrouped = false
  /// The fetched expressions, by name.
  var expressions: [String: SQLValue] = [:]
}
