extension NSEntityDescription {
  /// The names of the attributes of each uniqueness constraint.
  package var uniquenessConstraintNames: [[String]] {
    uniquenessConstraints.map { $0.compactMap(propertyName(of:)) }
  }

  /// The names of the properties of each compound index of the old form.
  package var compoundIndexNames: [[String]] {
    storedCompoundIndexes.map { $0.compactMap(propertyName(of:)) }
  }

  /// Constraints and indexes name a property by text or by its description.
  private func propertyName(of reference: Any) -> String? {
    (reference as? NSPropertyDescription)?.name ?? reference as? String
  }
}
