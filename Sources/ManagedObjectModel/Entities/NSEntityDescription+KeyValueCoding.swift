public import PredicateLanguage

/// The keys of entities that predicates can read, such as `entity.name == "Post"`.
///
/// Parhelion's addition.
extension NSEntityDescription: KeyValueCoding {
  /// Returns the value of a property of the description.
  public func value(forKey key: String) -> Any? {
    guard let read = Self.values[key] else { return Reflection.property(key, of: self)?.value }
    return read(self)
  }

  /// Returns whether the description has a property with this name.
  public func hasValue(forKey key: String) -> Bool {
    // A subclass in the application can add stored properties.
    Self.values[key] != nil || Reflection.property(key, of: self) != nil
  }

  private static let values: [String: @Sendable (NSEntityDescription) -> Any?] = [
    "name": { $0.name }, "managedObjectClassName": { $0.managedObjectClassName },
    "isAbstract": { $0.isAbstract },
    "abstract": { $0.isAbstract }, "userInfo": { $0.userInfo }, "versionHash": { $0.versionHash },
    "versionHashModifier": { $0.versionHashModifier },
    "renamingIdentifier": { $0.renamingIdentifier },
    "superentity": { $0.superentity }, "subentities": { $0.subentities },
    "properties": { $0.properties },
    "propertiesByName": { $0.propertiesByName }, "attributesByName": { $0.attributesByName },
    "relationshipsByName": { $0.relationshipsByName }, "indexes": { $0.indexes },
    "uniquenessConstraints": { $0.uniquenessConstraints }, "managedObjectModel": { $0.model },
    "self": { $0 },
  ]
}
