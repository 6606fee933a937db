extension ModelValidation {
  mutating func checkConstraints(of entity: NSEntityDescription) {
    for names in entity.uniquenessConstraintNames {
      let constraint = names.joined(separator: ", ")
      if names.isEmpty {
        record(
          .constraintEmpty, in: entity, "A uniqueness constraint has no attributes.",
          remedy: "Remove it, or add one.")
      }
      for name in names { checkConstrained(name, in: constraint, of: entity) }
    }
  }

  private mutating func checkConstrained(
    _ name: String, in constraint: String, of entity: NSEntityDescription
  ) {
    switch property(at: name, of: entity) {
    case nil:
      record(
        .constraintUnknownAttribute, in: entity, at: constraint,
        "The uniqueness constraint contains \(name), which is not an attribute of the entity.",
        remedy: "Name an attribute of \(entity.name ?? "the entity").")
    case let attribute as NSAttributeDescription:
      guard attribute.isTransient else { return }
      record(
        .constraintOnTransient, in: entity, at: constraint,
        "The uniqueness constraint contains the transient attribute \(name).",
        remedy: "Store the attribute.")
    default:
      record(
        .constraintOnRelationship, in: entity, at: constraint,
        "The uniqueness constraint contains \(name), which is not an attribute.",
        remedy: "Name attributes only.")
    }
  }

  /// The property with a name, or the element of a composite attribute at a path.
  func property(at path: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
    var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    guard let first = names.popFirst(), var found = entity.propertiesByName[first] else {
      return nil
    }
    while let name = names.popFirst() {
      guard
        let element = (found as? NSCompositeAttributeDescription)?.elements.first(where: {
          $0.name == name
        })
      else {
        return nil
      }
      found = element
    }
    return found
  }
}
