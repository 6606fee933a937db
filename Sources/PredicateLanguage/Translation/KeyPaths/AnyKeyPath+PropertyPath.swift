extension AnyKeyPath {
  /// Returns the dotted name of the property that the key path reads, as format strings write it.
  ///
  /// Parhelion's addition.
  ///
  /// ```swift
  /// try (\Post.author?.name).propertyPath()  // "author.name"
  /// ```
  ///
  /// If this method throws, the initialisers of `NSExpression` and `NSSortDescriptor` that take key
  /// paths stop the program.
  ///
  /// - Throws: ``KeyPathNameError`` if the key path does not read exactly one property of an
  ///   object.
  public func propertyPath() throws(KeyPathNameError) -> String {
    let name = try KeyPathName.name(of: self)
    return name.isEmpty ? "self" : name
  }

  /// The dotted name.
  ///
  /// A key path without a name is a programming error.
  var requiredPropertyPath: String {
    do { return try propertyPath() } catch { preconditionFailure(error.message) }
  }
}
