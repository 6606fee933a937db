public import PredicateLanguage

/// What predicates read of entities, as in `entity.name == "Post"`.
///
/// Parhelion's addition.
extension NSEntityDescription: KeyValueCoding {
  /// The value of a property of the description.
  public func value(forKey key: String) -> Any? { Self.values[key]?(self) ?? nil }

  /// Whether the description has a property of this name.
  public func hasValue(forKey key: String) -> Bool { Self.values[key] != nil }

  private static let values: [String: @Sendable (NSEntityDescription) -> Any?] = [
    "name": { $0.name }, "managedObjectClassName": { $0.managedObjectClassName }, "isAbstract": { $0.isAbstract },
    "abstract": { $0.isAbstract }, "userInfo": { $0.userInfo }, "versionHash": { $0.versionHash },
    "versionHashModifier": { $0.versionHashModifier }, "renamingIdentifier": { $0.renamingIdentifier },
    "superentity": { $0.superentity }, "subentities": { $0.subentities }, "properties": { $0.properties },
    "propertiesByName": { $0.propertiesByName }, "attributesByName": { $0.attributesByName },
    "relationshipsByName": { $0.relationshipsByName }, "managedObjectModel": { $0.model }, "self": { $0 },
  ]
}
