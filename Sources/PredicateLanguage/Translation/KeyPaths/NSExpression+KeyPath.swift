extension NSExpression {
  /// An expression that gives the value at a Swift key path.
  ///
  /// The key path has to read one property of an object, directly or through relationships;
  /// otherwise the program stops. Where that is not certain, ask `AnyKeyPath.propertyPath()`, which
  /// throws.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    self.init(forKeyPath: keyPath.requiredPropertyPath)
  }
}
