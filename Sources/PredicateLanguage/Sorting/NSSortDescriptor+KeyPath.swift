public import Foundation

/// The initialisers with Swift key paths.
///
/// The key path has to read one property of an object, directly or through relationships; otherwise
/// the program stops. Where that is not certain, ask `AnyKeyPath.propertyPath()`, which throws.
extension NSSortDescriptor {
  /// A descriptor that orders objects by the values at a key path, which may be optional.
  public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self.init(made: .naming(keyPath, ascending: ascending, .natural))
  }

  /// A descriptor that orders objects by the values at a key path.
  ///
  /// It is preferred to Foundation's initialiser of the same shape, whose descriptors do not know
  /// the property's name.
  public convenience init<Root: NSObject, Value: Comparable>(
    keyPath: KeyPath<Root, Value>, ascending: Bool
  ) {
    self.init(made: .naming(keyPath, ascending: ascending, .natural))
  }

  /// A descriptor that orders objects by a closure over the values at a key path.
  ///
  /// The closure gets `NSNull` for an object without a value. A store cannot sort by it.
  public convenience init<Root: NSObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(made: .naming(keyPath, ascending: ascending, .comparator(cmptr)))
  }

  private static func naming(_ keyPath: AnyKeyPath, ascending: Bool, _ rule: SortRule) -> Self {
    fitting(
      PropertySortDescriptor(
        keyPath.requiredPropertyPath, ascending: ascending, rule, origin: keyPath))
  }
}
