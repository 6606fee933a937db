extension AnyKeyPath {
  /// The dotted name of the property that the key path reads, as format strings write it.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// try (\Post.author?.name).propertyPath()  // "author.name"
  /// ```
  ///
  /// The initialisers of `NSExpression` and `NSSortDescriptor` that take key paths stop the program
  /// where this throws.
  /// - Throws: ``KeyPathNameError`` where the key path reads something else than one property of an
  ///   object.
  public func propertyPath() throws(KeyPathNameError) -> String {
    let name = try KeyPathName.name(of: self)
    return name.isEmpty ? "self" : name
  }

  /// The name, where a key path without one is a programmer's error.
  var requiredPropertyPath: String {
    do { return try propertyPath() } catch { preconditionFailure(error.message) }
  }
}
