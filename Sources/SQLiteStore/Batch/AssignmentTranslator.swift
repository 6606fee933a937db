import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// The expressions of a batch update as SQL, over the updated row `t0`.
struct ExpressionAssignments {
  struct Item {
    /// The property's name, with the path inside a composite attribute.
    let name: String
    let column: String
    let text: SQLText
    /// The range of the attribute; nil if its values are not whole numbers.
    let range: ClosedRange<Int64>?
  }

  fileprivate(set) var items: [Item] = []
  fileprivate(set) var bindings: [SQLiteDriver.Value] = []
  fileprivate(set) var integerArrays: [[Int64]] = []

  /// Whether a value depends on rows other than the updated one.
  var readOtherRows: Bool { items.contains { $0.text.hasSubselect } }

  /// The temporary table in which values are collected.
  var table: String { "PHB_VALUES_\(items.count)" }
  /// The table's name in SQL.
  var tableName: String { "temp.\(table)" }
}

/// Translates the expressions of a batch update, with the SQL of predicates.
struct AssignmentTranslator {
  private let entity: EntitySchema
  private let store: SQLiteRowStore

  init(_ entity: EntitySchema, _ store: SQLiteRowStore) {
    self.entity = entity
    self.store = store
  }

  func assignments(_ assignments: [BatchUpdate.Assignment]) throws -> ExpressionAssignments {
    var result = ExpressionAssignments()
    var reader = ShapeReader()
    let writer = QueryWriter(schema: store.schema)
    let alias = writer.nextAlias()
    for assignment in assignments {
      let target = try target(of: assignment)
      do throws(TranslationError) {
        let operand = try reader.operand(assignment.expression)
        result.items.append(
          ExpressionAssignments.Item(
            name: target.name, column: target.column,
            text: try text(operand, as: target.kind, writer, alias),
            range: target.kind.wholeRange))
      } catch {
        throw refusal(error.message + ". " + error.remedy, target.name, assignment)
      }
    }
    try bind(&result, reader, writer, assignments)
    return result
  }

  private func bind(
    _ result: inout ExpressionAssignments, _ reader: ShapeReader, _ writer: QueryWriter,
    _ assignments: [BatchUpdate.Assignment]
  ) throws {
    let binder = ConstantBinder(
      schema: store.schema, identity: store.identity, constants: reader.constants)
    do throws(TranslationError) {
      result.bindings = try binder.values(of: result.items.flatMap(\.text.parameters))
      for array in writer.arrays {
        result.integerArrays.append(
          try binder.integers(ofConstant: array.constant, as: array.form))
      }
    } catch {
      let names = result.items.map(\.name).joined(separator: ", ")
      throw refusal(error.message + ". " + error.remedy, names, assignments[0])
    }
  }

  // MARK: Targets

  private struct Target {
    let name: String
    let column: String
    let kind: ValueKind
  }

  private func target(of assignment: BatchUpdate.Assignment) throws -> Target {
    let property = entity.layout.properties[assignment.ordinal]
    let name = ([property.name] + assignment.path).joined(separator: ".")
    if let column = entity.columns[assignment.ordinal] {
      if assignment.path.isEmpty, let attribute = property as? NSAttributeDescription,
        let kind = ValueKind(attribute), kind.takesExpressions
      {
        return Target(name: name, column: column.name, kind: kind)
      }
      if let leaf = column.leaves.first(where: { $0.path == assignment.path }),
        let kind = ValueKind(leaf.attribute)
      {
        return Target(name: name, column: leaf.name, kind: kind)
      }
    }
    throw refusal(
      "Only attributes with a plain column take the value of an expression. Use a constant value.",
      name, assignment)
  }

  private func refusal(_ reason: String, _ name: String, _ assignment: BatchUpdate.Assignment)
    -> StoreError
  {
    let value = assignment.expression.formatText
    return StoreError(
      .batchValue, "The batch update of \(entity.name) cannot set \(name) to \(value): \(reason)",
      context: ["entity": entity.name, "property": name])
  }

  // MARK: Text

  private func text(
    _ operand: Operand, as kind: ValueKind, _ writer: QueryWriter, _ alias: String
  ) throws(TranslationError) -> SQLText {
    // The updated row is outside the SELECT, which has only the rows that the expression joins.
    let select = Select(from: Self.nothing)
    let source = RowSource(entity, alias: alias, select: select)
    let context = RowContext(object: source, select: select, isRequired: false)
    let value = try writer.value(try writer.side(operand, context), as: kind.storageForm)
    guard kind.takes(value.kind) else {
      throw TranslationError(
        "the expression has another type than the attribute",
        "Convert it with CAST, or use an attribute of its type")
    }
    let from = withExtendedLifetime(source) { select.from }
    let joined: SQLText =
      from == Self.nothing ? value.text : "(SELECT \(value.text) FROM \(from))"
    if kind == .boolean, value.kind != .boolean { return "(\(joined) <> 0)" }
    guard kind.isWhole, !value.kind.isWhole, value.kind != .unknown else { return joined }
    return "ParhelionInteger(\(joined))"
  }

  private static let nothing = "(SELECT 1)"
}

extension ValueKind {
  /// Whether an attribute of the kind can be set to an expression of another kind.
  fileprivate func takes(_ other: ValueKind) -> Bool {
    if other == .unknown || other == self { return true }
    switch (self, other) {
    case (.boolean, _), (.integer, _), (.float, _), (.double, _), (.decimal, _):
      return other.isNumber
    case (.text, .url): return true
    default: return false
    }
  }

  fileprivate var takesExpressions: Bool {
    switch self {
    case .data(isTagged: true), .encoded: false
    default: true
    }
  }

  /// The range of an attribute of whole numbers; nil for other attributes.
  fileprivate var wholeRange: ClosedRange<Int64>? {
    switch self {
    case .integer(16): Int64(Int16.min)...Int64(Int16.max)
    case .integer(32): Int64(Int32.min)...Int64(Int32.max)
    case .integer: Int64.min...Int64.max
    default: nil
    }
  }
}
