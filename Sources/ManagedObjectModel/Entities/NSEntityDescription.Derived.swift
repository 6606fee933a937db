import Foundation

extension NSEntityDescription {
  /// Values computed from an entity and its ancestors, once the entity is in use.
  ///
  /// It contains the inherited properties, so an entity keeps them even after its superentity is
  /// deallocated.
  struct Derived {
    let properties: [NSPropertyDescription]
    let propertiesByName: [String: NSPropertyDescription]
    let attributesByName: [String: NSAttributeDescription]
    let relationshipsByName: [String: NSRelationshipDescription]
    let versionHash: Data

    init(of entity: NSEntityDescription) {
      properties = entity.properties
      propertiesByName = entity.propertiesByName
      attributesByName = entity.attributesByName
      relationshipsByName = entity.relationshipsByName
      versionHash = entity.versionHash
    }
  }

  /// The derived values, if the entity is in use.
  var frozen: Derived? {
    useMark.isSet ? derived : nil
  }
}
