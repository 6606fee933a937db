/// The effect on an object's related objects when it is deleted.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// No change: they keep a reference to the deleted object.
  case noActionDeleteRule = 0
  /// Their inverse reference is cleared.
  case nullifyDeleteRule = 1
  /// They are deleted too.
  case cascadeDeleteRule = 2
  /// The deletion fails if there are any.
  case denyDeleteRule = 3
}
