import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// A model's conditions and computed values as SQL in the schema: for partial indexes, indexes of
/// computed values, and filters of derived attributes.
///
/// The SQL equals that of a fetch, with literals in place of parameters, so that SQLite uses the
/// index for such a fetch. It can use only the row itself: an expression that reads other rows is
/// rejected.
struct SchemaCondition {
  let schema: StoreSchema
  let entity: EntitySchema

  /// The row's alias while the SQL is written, a name that no schema contains.
  ///
  /// The prefix of column names then replaces it.
  private static let placeholder = "parhelion_row"

  /// The SQL of a condition on a row.
  ///
  /// - Parameter row: The prefix of column names, such as `NEW.`; empty in an index.
  /// - Parameter variable: The predicate's variable for the row, if any.
  func text(_ predicate: NSPredicate, row: String = "", variable: String? = nil)
    throws(TranslationError) -> String
  {
    try requireLasting(predicate.formatText)
    var reader = ShapeReader()
    let condition = try reader.condition(predicate)
    return try written(row, reader, variable) { (writer, context) throws(TranslationError) in
      try writer.text(condition, context)
    }
  }

  /// The SQL of a value that is computed from a row.
  func text(_ expression: PredicateLanguage.NSExpression) throws(TranslationError) -> String {
    try requireLasting(expression.formatText)
    var reader = ShapeReader()
    let operand = try reader.operand(expression)
    return try written("", reader, nil) { (writer, context) throws(TranslationError) in
      try writer.value(operand, context).text
    }
  }

  /// Rejects functions whose value changes, because an index or a trigger needs the same value at
  /// any time.
  private func requireLasting(_ text: String) throws(TranslationError) {
    guard !["now()", "random()", "random:("].contains(where: text.contains) else {
      throw .unsupported(
        "a value that changes by itself", "Compare attributes with each other, or with constants.")
    }
  }

  private func written(
    _ row: String, _ reader: ShapeReader, _ variable: String?,
    _ write: (QueryWriter, RowContext) throws(TranslationError) -> SQLText
  ) throws(TranslationError) -> String {
    let writer = QueryWriter(schema: schema)
    let table = "\(entity.table) \(Self.placeholder)"
    let select = Select(from: table)
    let source = RowSource(entity, alias: Self.placeholder, select: select)
    var context = RowContext(object: source, select: select)
    if let variable { context.variables[variable] = source }
    let sql = try write(writer, context)
    guard select.from == table, writer.arrays.isEmpty, !sql.hasSubselect else {
      throw .unsupported(
        "a condition or value that reads other rows",
        "Use only attributes of \(entity.name) itself, and short lists of values.")
    }
    let binder = ConstantBinder(schema: schema, identity: nil, constants: reader.constants)
    return try filled(
      sql.text.replacing("\(Self.placeholder).", with: row),
      with: try binder.values(of: sql.parameters))
  }

  /// The text with literal values in place of its question marks.
  private func filled(_ text: String, with values: [SQLiteDriver.Value]) throws(TranslationError)
    -> String
  {
    var rest = values[...]
    var result = ""
    for character in text {
      if character == "?", let value = rest.popFirst() {
        result += value.literal
      } else {
        result.append(character)
      }
    }
    return result
  }
}

extension SQLiteDriver.Value {
  /// The value as an SQL literal.
  fileprivate var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): SQLLiteral.real(number)
    case .text(let text): SQLLiteral.text(text)
    case .blob(let bytes): SQLLiteral.blob(bytes)
    }
  }
}
