extension NSEntityDescription {
  /// The names of the attributes of each uniqueness constraint.
  package var uniquenessConstraintNames: [[String]] {
    uniquenessConstraints.map { $0.compactMap(propertyName(of:)) }
  }

  /// The names of the properties of each compound index in the deprecated form.
  package var compoundIndexNames: [[String]] {
    storedCompoundIndexes.map { $0.compactMap(propertyName(of:)) }
  }

  /// Returns the name of a property that is given by its name or its description.
  private func propertyName(of reference: Any) -> String? {
    (reference as? NSPropertyDescription)?.name ?? reference as? String
  }
}
