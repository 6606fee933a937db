import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The triggers of one derived attribute.
///
/// Those of a count over a to-one inverse match a real store of Core Data exactly, and the others
/// follow their pattern. `SOURCE` triggers watch the attribute's own table. `PARAMETER` triggers
/// watch the tables that the attribute is derived from. Each trigger reports the rows with a new
/// value to the connection.
struct DerivedAttribute {
  let schema: StoreSchema
  let entity: EntitySchema
  let attribute: NSDerivedAttributeDescription
  let column: String

  /// The derived attributes that an entity declares.
  static func all(of entity: EntitySchema, in schema: StoreSchema) -> [DerivedAttribute] {
    let inherited =
      entity.superNumber == 0
      ? [] : schema.entity(number: entity.superNumber)?.layout.properties ?? []
    let known = Set(inherited.map(ObjectIdentifier.init))
    return zip(entity.layout.properties, entity.columns).compactMap { property, column in
      guard let attribute = property as? NSDerivedAttributeDescription, let column,
        !known.contains(ObjectIdentifier(attribute))
      else { return nil }
      return DerivedAttribute(
        schema: schema, entity: entity, attribute: attribute, column: column.name)
    }
  }

  var table: String { entity.table }

  /// The triggers, in the order in which they are created.
  func triggers() throws(StoreError) -> [TriggerSchema] {
    let derivation = attribute.derivationExpression.flatMap(Derivation.init)
    switch derivation {
    case .count, .sum: return try aggregate(derivation).triggers
    case .copy, .now:
      guard attribute.filteringPredicate == nil else {
        throw refusal(
          "has a filtering predicate, which only counts and sums over a relationship can have")
      }
      if case .copy(let path, let function) = derivation {
        return try copyTriggers(of: path, function)
      }
      return nowTriggers
    case nil:
      throw refusal(
        "is derived by “\(attribute.derivationExpression?.description ?? "")”, which no store can compute"
      )
    }
  }

  /// The statement that recomputes every row's value; nil if it does not follow from other values.
  func filling() throws(StoreError) -> String? {
    guard let value = try value() else { return nil }
    let condition = entity.isRoot ? "" : " WHERE Z_ENT IN (\(entity.numberList))"
    return "UPDATE \(table) SET \(column) = \(value)\(condition)"
  }

  /// The value, as an expression in the attribute's own table; nil if it does not follow from other
  /// values.
  private func value() throws(StoreError) -> String? {
    let derivation = attribute.derivationExpression.flatMap(Derivation.init)
    return switch derivation {
    case .count, .sum: try aggregate(derivation).value(of: "\(table).Z_PK")
    case .copy(let path, let function): try copiedValue(path, function)
    case .now, nil: nil
    }
  }

  /// The condition that a row's value is stale; nil if that cannot be determined.
  ///
  /// Results of text functions are not checked, because other programs may follow other rules.
  /// Sums are compared with a tolerance, because they may have been rounded.
  func outOfDate() throws(StoreError) -> String? {
    let derivation = attribute.derivationExpression.flatMap(Derivation.init)
    if case .copy(_, _?) = derivation { return nil }
    guard let value = try value() else { return nil }
    let hierarchy = entity.isRoot ? "" : " AND Z_ENT IN (\(entity.numberList))"
    if case .copy = derivation { return "\(column) IS NOT \(value)\(hierarchy)" }
    let stored = "IFNULL(\(column), 0)"
    return "abs(\(stored) - \(value)) > 1e-6 * max(1, abs(\(stored)))\(hierarchy)"
  }

  // MARK: Parts of triggers

  /// A trigger on the attribute's own table.
  func source(_ suffix: String, _ event: String, _ value: String, isInsertion: Bool)
    -> TriggerSchema
  {
    TriggerSchema(
      name: "Z_DA_\(table)_\(entity.name)_\(attribute.name)_\(suffix)", table: table, event: event,
      condition: entity.isRoot ? nil : "NEW.Z_ENT IN (\(entity.numberList))",
      body: assignment(value, where: "Z_PK = NEW.Z_PK", isInsertion: isInsertion))
  }

  /// A trigger on a table that the attribute is derived from.
  func parameter(
    _ suffix: String, _ event: String, on other: String, when condition: String?, _ value: String,
    where rows: String
  ) -> TriggerSchema {
    TriggerSchema(
      name: "Z_DA_\(other)_\(entity.name)_\(attribute.name)_PARAMETER_\(suffix)", table: other,
      event: event,
      condition: condition, body: assignment(value, where: rows, isInsertion: false))
  }

  private func assignment(_ value: String, where rows: String, isInsertion: Bool) -> String {
    let function =
      isInsertion ? StoreFunctions.insertionNoticeName : StoreFunctions.updateNoticeName
    return
      "UPDATE \(table) SET \(column) = \(value) WHERE \(rows); SELECT \(function)('\(table)', Z_ENT, Z_PK, '\(attribute.name)', \(column)) FROM \(table) WHERE \(rows);"
  }

  func refusal(_ reason: String) -> StoreError {
    StoreError(
      .incompatibleSchema,
      "The attribute \(entity.name).\(attribute.name) \(reason). Derive it from an attribute, from attributes of to-one relationships, by canonical:, uppercase: or lowercase: of one, by a to-many relationship's @count or @sum, of all members or of those that meet a condition on themselves, or by now().",
      context: ["entity": entity.name, "property": attribute.name])
  }

  private var nowTriggers: [TriggerSchema] {
    let value = "\(StoreFunctions.nowName)()"
    let name = "Z_DA_\(table)_\(entity.name)_\(attribute.name)"
    let condition = entity.isRoot ? nil : "NEW.Z_ENT IN (\(entity.numberList))"
    return [("INSERT", "INSERT", true), ("UPDATE", "UPDATE OF Z_OPT", false)].map {
      suffix, event, isInsertion in
      TriggerSchema(
        name: "\(name)_\(suffix)", table: table, event: event, condition: condition,
        body: assignment(value, where: "Z_PK = NEW.Z_PK", isInsertion: isInsertion))
    }
  }
}
