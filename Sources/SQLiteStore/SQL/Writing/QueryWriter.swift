import ObjectRows

/// Writes the SQL for the form of a fetch.
///
/// It sees no values: whatever it writes serves every fetch of the same form.
final class QueryWriter {
  let schema: StoreSchema
  private var aliasCount = 0
  private(set) var arrays: [ArrayParameter] = []
  /// How many functions over the rows of a group were written.
  var groupFunctions = 0

  init(schema: StoreSchema) { self.schema = schema }

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

/// Where a piece of SQL stands.
struct RowContext {
  /// The row that is tested.
  let object: RowSource
  /// The innermost SELECT.
  let select: Select
  /// The rows that the variables of subqueries stand for.
  var variables: [String: RowSource] = [:]
  /// Whether no row of the SELECT is found unless this holds.
  var isRequired = true
  /// Whether it stands under a NOT, where what is unknown and what is false differ.
  var isNegated = false
  /// What aggregate functions and names of fetched expressions mean; nil where there are none.
  var group: GroupContext?

  /// The context of something that need not hold.
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

/// What stands for names in the conditions and orders of a fetch of dictionaries.
struct GroupContext {
  /// Whether functions over collections are those of the group's rows.
  var allowsAggregates = false
  /// Whether rows are grouped, so that a function of a to-many relationship is one of the members
  /// of all rows of a group.
  var isGrouped = false
  /// The fetched expressions, by name.
  var expressions: [String: SQLValue] = [:]
}
