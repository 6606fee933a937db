/// The effect on an object's related objects when it is deleted.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// Related objects do not change: they keep a reference to the deleted object.
  case noActionDeleteRule = 0
  /// The inverse reference of related objects is cleared.
  case nullifyDeleteRule = 1
  /// Related objects are deleted too.
  case cascadeDeleteRule = 2
  /// The deletion fails if there are related objects.
  case denyDeleteRule = 3
}
