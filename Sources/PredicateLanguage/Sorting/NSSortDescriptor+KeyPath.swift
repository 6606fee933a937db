public import Foundation

/// The initialisers with Swift key paths.
///
/// The key path must read one property of an object, directly or through relationships; otherwise
/// the program stops. To check a key path, call `AnyKeyPath.propertyPath()`, which throws.
extension NSSortDescriptor {
  /// Creates a descriptor that orders objects by the values at a key path, which may be optional.
  public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self.init(made: .naming(keyPath, ascending: ascending, .natural))
  }

  /// Creates a descriptor that orders objects by the values at a key path.
  ///
  /// Overload resolution prefers it to Foundation's initialiser with this signature, whose
  /// descriptors do not know the property's name.
  public convenience init<Root: NSObject, Value: Comparable>(
    keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    self.init(made: .naming(keyPath, ascending: ascending, .natural))
  }

  /// Creates a descriptor that orders objects by the values at a key path, with a closure.
  ///
  /// The closure receives `NSNull` for an object without a value. A store cannot sort by it.
  public convenience init<Root: NSObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(made: .naming(keyPath, ascending: ascending, .comparator(cmptr)))
  }

  private static func naming(_ keyPath: AnyKeyPath, ascending: Bool, _ rule: SortRule) -> Self {
    checkedCast(
      PropertySortDescriptor(
        keyPath.requiredPropertyPath, ascending: ascending, rule, origin: keyPath))
  }
}
