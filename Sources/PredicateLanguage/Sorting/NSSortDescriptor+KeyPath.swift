public import Foundation

/// The initialisers with Swift key paths.
///
/// The key path has to read one property of an object, directly or through relationships; otherwise the program stops.
/// Where that is not certain, ask `AnyKeyPath.propertyPath()`, which throws.
extension NSSortDescriptor {
  /// A descriptor that orders objects by the values at a key path, which may be optional.
  public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self.init(key: keyPath.requiredPropertyPath, ascending: ascending)
  }

  /// A descriptor that orders objects by the values at a key path.
  ///
  /// It is preferred to Foundation's initialiser of the same shape, whose descriptors do not know the property's name.
  public convenience init<Root: NSObject, Value: Comparable>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    self.init(key: keyPath.requiredPropertyPath, ascending: ascending)
  }

  /// A descriptor that orders objects by a closure over the values at a key path.
  ///
  /// The closure gets `NSNull` for an object without a value. A store cannot sort by it.
  public convenience init<Root: NSObject, Value>(
    keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(key: keyPath.requiredPropertyPath, ascending: ascending, comparator: cmptr)
  }
}
