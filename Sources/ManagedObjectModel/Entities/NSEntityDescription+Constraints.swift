extension NSEntityDescription {
  /// The names of the attributes of each uniqueness constraint.
  package var uniquenessConstraintNames: [[String]] {
    uniquenessConstraints.map { $0.compactMap(propertyName(of:)) }
  }

  /// The names of the properties of each compound index in the deprecated form.
  package var compoundIndexNames: [[String]] {
    storedCompoundIndexes.map { $0.compactMap(propertyName(of:)) }
  }

  /// The property name of a reference, which is a text or a description.
  private func propertyName(of reference: Any) -> String? {
    (reference as? NSPropertyDescription)?.name ?? reference as? String
  }
}
