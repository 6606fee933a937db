extension NSExpression {
  /// Creates an expression for the value at a Swift key path.
  ///
  /// The key path must read one property of an object, directly or through relationships; otherwise
  /// the program stops. To check a key path, call `AnyKeyPath.propertyPath()`, which throws.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    self.init(forKeyPath: keyPath.requiredPropertyPath)
  }
}
