import ManagedObjectModel
import ObjectRows

/// A stored property, and the entity that has its columns.
struct StoredProperty {
  let entity: EntitySchema
  let ordinal: Int
  let description: NSPropertyDescription

  var column: PropertyColumn? { entity.columns[ordinal] }
}

extension QueryWriter {
  /// The property with a name: of the entity, or else of one of its subentities, whose rows are in
  /// the same table.
  func property(_ name: String, of entity: EntitySchema) throws(TranslationError) -> StoredProperty?
  {
    if let property = ownProperty(name, of: entity) { return property }
    var found: StoredProperty?
    for number in entity.subtreeNumbers {
      guard let subentity = schema.entity(number: number),
        let property = ownProperty(name, of: subentity)
      else {
        continue
      }
      if let found, found.description !== property.description {
        throw TranslationError(
          "keypath \(name) is ambiguous in entity \(entity.name): \(found.entity.name) and \(subentity.name) have it",
          "Fetch one of the subentities, or move the property up to \(entity.name).")
      }
      found = found ?? property
    }
    return found
  }

  private func ownProperty(_ name: String, of entity: EntitySchema) -> StoredProperty? {
    entity.layout.ordinal(of: name).map {
      StoredProperty(entity: entity, ordinal: $0, description: entity.layout.properties[$0])
    }
  }
}
