import Foundation

extension NSEntityDescription {
  /// What follows from an entity and its ancestors, computed once when the entity comes into use.
  ///
  /// It holds the inherited properties, so an entity keeps them even when its superentity is gone.
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

  /// What was derived, if the entity is in use.
  var frozen: Derived? {
    useMark.isSet ? derived : nil
  }
}
