import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// The functions that a file's triggers call under unknown names.
///
/// The trigger of a derived attribute is named after the attribute. If the trigger calls an unknown
/// function, the model determines what the function computes. So a store can be written whatever
/// function names its creator used.
enum TriggerFunctions {
  static func register(on connection: Connection, schema: StoreSchema) throws(SQLiteError) {
    let derived = textDerivations(of: schema)
    guard !derived.isEmpty else { return }
    var known = Set([Derivation.TextFunction.canonical, .uppercase, .lowercase].map(\.sqlName))
    for row in try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
    {
      guard case .text(let name) = row[0], case .text(let sql) = row[1], name.hasPrefix("Z_DA_"),
        let function = derived.first(where: { name.contains("_\($0.label)_") })?.function
      else { continue }
      for match in sql.matches(of: /\b(NSCoreData[A-Za-z0-9_]+)\s*\(/) {
        let called = String(match.1)
        guard !isNotice(called), called != StoreFunctions.nowName, known.insert(called).inserted
        else { continue }
        try SQLiteStore.register(function, as: called, on: connection)
      }
    }
  }

  private static func isNotice(_ name: String) -> Bool {
    name == StoreFunctions.insertionNoticeName || name == StoreFunctions.updateNoticeName
  }

  private static func textDerivations(of schema: StoreSchema) -> [(
    label: String, function: Derivation.TextFunction
  )] {
    schema.entities.flatMap { entity in
      DerivedAttribute.all(of: entity, in: schema).compactMap { attribute in
        guard let derivation = attribute.attribute.derivationExpression.flatMap(Derivation.init),
          case .copy(_, let function?) = derivation
        else { return nil }
        return ("\(entity.name)_\(attribute.attribute.name)", function)
      }
    }
  }
}
