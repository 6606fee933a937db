/// The ways in which conflicts of a save can be resolved.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType
  /// Conflicts are merged by property.
  ///
  /// If both sides changed a property, the store's value wins.
  case mergeByPropertyStoreTrumpMergePolicyType
  /// Conflicts are merged by property.
  ///
  /// If both sides changed a property, the object's value wins.
  case mergeByPropertyObjectTrumpMergePolicyType
  /// The object wins, with all of its values.
  case overwriteMergePolicyType
  /// The store wins, with all of its values.
  case rollbackMergePolicyType
}
