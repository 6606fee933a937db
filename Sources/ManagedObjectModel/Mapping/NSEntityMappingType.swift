/// The kinds of entity mappings, with Apple's raw values.
public enum NSEntityMappingType: UInt, Sendable {
  /// The migration policy decides; mappings of Xcode's sources have this type before they are
  /// compiled.
  case undefinedEntityMappingType = 0
  /// A custom migration policy creates the objects.
  case customEntityMappingType = 1
  /// The entity is new: it has no source objects.
  case addEntityMappingType = 2
  /// The entity was removed; its objects are not migrated.
  case removeEntityMappingType = 3
  /// The entity is the same in both models.
  case copyEntityMappingType = 4
  /// The entity exists in both models, and differs.
  case transformEntityMappingType = 5
}
