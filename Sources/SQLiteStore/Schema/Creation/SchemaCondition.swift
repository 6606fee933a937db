import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// Conditions and computed values of a model as SQL of the schema itself: of partial indexes, of
/// indexes of computed values, and of filters of derived attributes.
///
/// The SQL is that of a fetch, so that an index serves the fetches that ask for the same; values
/// are written out. It speaks of the row alone: what would read other rows is refused.
struct SchemaCondition {
  let schema: StoreSchema
  let entity: EntitySchema

  /// A name that stands for the row while the SQL is written, and that no schema has.
  private static let placeholder = "parhelion_row"

  /// A condition on a row.
  ///
  /// - Parameter row: What stands before the names of columns, such as `NEW.`; nothing in an index.
  /// - Parameter variable: The name by which the predicate calls the row, where it has one.
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

  /// A value that is computed from a row.
  func text(_ expression: PredicateLanguage.NSExpression) throws(TranslationError) -> String {
    try requireLasting(expression.formatText)
    var reader = ShapeReader()
    let operand = try reader.operand(expression)
    return try written("", reader, nil) { (writer, context) throws(TranslationError) in
      try writer.value(operand, context).text
    }
  }

  /// What has another value each time would be kept as it was when the store was made.
  private func requireLasting(_ text: String) throws(TranslationError) {
    guard !["now()", "random"].contains(where: text.contains) else {
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
    guard select.from == table, writer.arrays.isEmpty, !sql.text.contains(/\bSELECT\b/) else {
      throw .unsupported(
        "what reads other rows",
        "Name attributes of \(entity.name) itself, and short lists of values.")
    }
    let binder = ConstantBinder(schema: schema, identity: nil, constants: reader.constants)
    return try filled(
      sql.text.replacing("\(Self.placeholder).", with: row),
      with: try binder.values(of: sql.parameters))
  }

  /// The text with values in the places of its question marks.
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
  /// The value as SQL writes it.
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
