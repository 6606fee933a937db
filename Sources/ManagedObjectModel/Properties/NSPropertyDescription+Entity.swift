extension NSPropertyDescription {
  /// The entity that declares the property.
  ///
  /// - Warning: To read this from a property that belongs to no entity stops the program.
  public var entity: NSEntityDescription {
    guard let declaringEntity else {
      preconditionFailure(
        "The property \(name) belongs to no entity. Add it to the properties of one first.")
    }
    return declaringEntity
  }
}
