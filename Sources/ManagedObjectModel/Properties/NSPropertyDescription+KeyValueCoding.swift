public import PredicateLanguage

/// The keys of properties that predicates can read, such as `isOptional == NO`.
///
/// Parhelion's addition.
extension NSPropertyDescription: KeyValueCoding {
  /// Returns the value of a property of the description.
  public func value(forKey key: String) -> Any? {
    guard let read = reader(of: key) else { return Reflection.property(key, of: self)?.value }
    return read(self)
  }

  /// Returns whether the description has a property with this name.
  public func hasValue(forKey key: String) -> Bool {
    // A subclass in the application can add stored properties.
    reader(of: key) != nil || Reflection.property(key, of: self) != nil
  }

  private typealias Reader = @Sendable (NSPropertyDescription) -> Any?

  private func reader(of key: String) -> Reader? {
    if let reader = Self.values[key] { return reader }
    return switch self {
    case is NSAttributeDescription: Self.attributeValues[key]
    case is NSRelationshipDescription: Self.relationshipValues[key]
    default: nil
    }
  }

  private static let values: [String: Reader] = [
    "name": { $0.name }, "isOptional": { $0.isOptional }, "optional": { $0.isOptional },
    "isTransient": { $0.isTransient }, "transient": { $0.isTransient }, "userInfo": { $0.userInfo },
    "entity": { $0.declaringEntity }, "versionHash": { $0.versionHash },
    "versionHashModifier": { $0.versionHashModifier },
    "renamingIdentifier": { $0.renamingIdentifier },
    "isIndexedBySpotlight": { $0.isIndexedBySpotlight }, "self": { $0 },
  ]

  private static let attributeValues: [String: Reader] = [
    "attributeType": { ($0 as? NSAttributeDescription)?.attributeType.rawValue },
    "attributeValueClassName": { ($0 as? NSAttributeDescription)?.attributeValueClassName },
    "defaultValue": { ($0 as? NSAttributeDescription)?.defaultValue },
    "valueTransformerName": { ($0 as? NSAttributeDescription)?.valueTransformerName },
    "allowsCloudEncryption": { ($0 as? NSAttributeDescription)?.allowsCloudEncryption },
    "preservesValueInHistoryOnDeletion": {
      ($0 as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion
    },
    "allowsExternalBinaryDataStorage": {
      ($0 as? NSAttributeDescription)?.allowsExternalBinaryDataStorage
    },
  ]

  private static let relationshipValues: [String: Reader] = [
    "destinationEntity": { ($0 as? NSRelationshipDescription)?.destinationEntity },
    "inverseRelationship": { ($0 as? NSRelationshipDescription)?.inverseRelationship },
    "isToMany": { ($0 as? NSRelationshipDescription)?.isToMany },
    "toMany": { ($0 as? NSRelationshipDescription)?.isToMany },
    "isOrdered": { ($0 as? NSRelationshipDescription)?.isOrdered },
    "ordered": { ($0 as? NSRelationshipDescription)?.isOrdered },
    "minCount": { ($0 as? NSRelationshipDescription)?.minCount },
    "maxCount": { ($0 as? NSRelationshipDescription)?.maxCount },
    "deleteRule": { ($0 as? NSRelationshipDescription)?.deleteRule.rawValue },
  ]
}
