/// The ways in which conflicts of a save can be resolved.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType
  /// Property by property; where both sides changed one, the store's value wins.
  case mergeByPropertyStoreTrumpMergePolicyType
  /// Property by property; where both sides changed one, the object's value wins.
  case mergeByPropertyObjectTrumpMergePolicyType
  /// The object wins, with all of its values.
  case overwriteMergePolicyType
  /// The store wins, with all of its values.
  case rollbackMergePolicyType
}
