import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Values that a newer model requires and that existing objects may lack.
///
/// An attribute without a default can become required if all objects have a value. A required
/// attribute without a default can be added only if the entity has no objects.
struct RequiredValues {
  let mapping: MigrationMapping
  let location: StoreLocation

  /// Throws an error that names entity and attribute if an object has no value.
  func check(on connection: Connection) throws {
    for entity in mapping.destination.entities {
      guard let former = mapping.source(of: entity) else { continue }
      for ordinal in entity.layout.properties.indices {
        guard let attribute = entity.layout.properties[ordinal] as? NSAttributeDescription,
          attribute.needsValue, let query = query(ordinal, entity, former),
          let count = try connection.value(query)?.integer, count > 0
        else { continue }
        let missing = MissingValues(
          entity: entity.name, attribute: attribute.name, count: Int(count))
        throw StoreError(
          .migration, missing.message(store: location.path),
          context: missing.context.merging(["file": location.path]) { own, _ in own })
      }
    }
  }

  /// The query for the number of objects without a value; nil if all have one.
  private func query(_ ordinal: Int, _ entity: EntitySchema, _ former: EntitySchema) -> String? {
    let count = "SELECT count(*) FROM \(former.table) WHERE Z_ENT = \(former.number)"
    guard let place = mapping.sourceOrdinal(of: ordinal, in: entity),
      let attribute = former.layout.properties[place] as? NSAttributeDescription,
      let column = former.columns[place], !column.isComposite
    else { return count }
    return attribute.isOptional ? "\(count) AND \(column.name) IS NULL" : nil
  }
}
