public import PredicateLanguage

/// The keys of mappings that expressions can read, such as `$entityMapping.userInfo.factor`.
///
/// Parhelion's addition.
extension NSEntityMapping: KeyValueCoding {
  /// Returns the value of a property of the mapping.
  public func value(forKey key: String) -> Any? { Self.values[key]?(self) }

  /// Returns whether the mapping has a property with this name.
  public func hasValue(forKey key: String) -> Bool { Self.values[key] != nil }

  private static let values: [String: @Sendable (NSEntityMapping) -> Any?] = [
    "name": { $0.name }, "mappingType": { $0.mappingType.rawValue },
    "sourceEntityName": { $0.sourceEntityName },
    "sourceEntityVersionHash": { $0.sourceEntityVersionHash },
    "destinationEntityName": { $0.destinationEntityName },
    "destinationEntityVersionHash": { $0.destinationEntityVersionHash },
    "attributeMappings": { $0.attributeMappings },
    "relationshipMappings": { $0.relationshipMappings },
    "sourceExpression": { $0.sourceExpression }, "userInfo": { $0.userInfo },
    "entityMigrationPolicyClassName": { $0.entityMigrationPolicyClassName }, "self": { $0 },
  ]
}

/// The keys of mappings that expressions can read, such as `$propertyMapping.userInfo.unit`.
///
/// Parhelion's addition.
extension NSPropertyMapping: KeyValueCoding {
  /// Returns the value of a property of the mapping.
  public func value(forKey key: String) -> Any? { Self.values[key]?(self) }

  /// Returns whether the mapping has a property with this name.
  public func hasValue(forKey key: String) -> Bool { Self.values[key] != nil }

  private static let values: [String: @Sendable (NSPropertyMapping) -> Any?] = [
    "name": { $0.name }, "valueExpression": { $0.valueExpression }, "userInfo": { $0.userInfo },
    "self": { $0 },
  ]
}
