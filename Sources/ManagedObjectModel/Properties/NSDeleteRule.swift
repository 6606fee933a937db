/// What happens to the objects at the end of a relationship when the object at its start is
/// deleted.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// Nothing: they keep a reference to the deleted object.
  case noActionDeleteRule = 0
  /// Their reference back is cleared.
  case nullifyDeleteRule = 1
  /// They are deleted too.
  case cascadeDeleteRule = 2
  /// The deletion is refused while there are any.
  case denyDeleteRule = 3
}
