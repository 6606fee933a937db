/// The ways to change a set of objects.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
  /// Objects are added to the set.
  case union = 1
  /// Objects are removed from the set.
  case minus = 2
  /// All objects but the given ones are removed from the set.
  case intersect = 3
  /// The given objects replace those of the set.
  case set = 4
}
