extension NSEntityDescription {
  /// Whether two entities are equal, without their inherited properties.
  func isEqualDescription(to other: NSEntityDescription) -> Bool {
    name == other.name && managedObjectClassName == other.managedObjectClassName
      && isAbstract == other.isAbstract
      && superentity?.name == other.superentity?.name
      && Set(subentities.map(\.name)) == Set(other.subentities.map(\.name))
      && versionHashModifier == other.versionHashModifier
      && renamingIdentifier == other.renamingIdentifier
      && valuesAreEqual(
        coreSpotlightDisplayNameExpression, other.coreSpotlightDisplayNameExpression)
      && valuesAreEqual(userInfo, other.userInfo)
      && uniquenessConstraintNames == other.uniquenessConstraintNames
      && compoundIndexNames == other.compoundIndexNames
      && indexes == other.indexes && hasSameProperties(as: other)
  }

  private func hasSameProperties(as other: NSEntityDescription) -> Bool {
    guard ownProperties.count == other.ownProperties.count else { return false }
    let others = Dictionary(
      other.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return ownProperties.allSatisfy { others[$0.name] == $0 }
  }
}
