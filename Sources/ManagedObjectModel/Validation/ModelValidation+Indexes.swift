extension ModelValidation {
  mutating func checkIndexes(of entity: NSEntityDescription) {
    for name in repeated(entity.indexes.map(\.name)) {
      record(
        .duplicateName, in: entity, at: name, "There are several indexes with this name.",
        remedy: "Give each index a different name.")
    }
    for index in entity.indexes { check(index, of: entity) }
    for names in entity.compoundIndexNames {
      for name in names where property(at: name, of: entity) == nil {
        noteUnknown(name, in: names.joined(separator: ", "), of: entity)
      }
    }
  }

  private mutating func check(_ index: NSFetchIndexDescription, of entity: NSEntityDescription) {
    if index.elements.isEmpty {
      record(
        .indexEmpty, in: entity, at: index.name, "The index has no elements.",
        remedy: "Remove it, or add one.")
    }
    if Set(index.elements.map(\.collationType)).count > 1 {
      record(
        .indexMixedTypes, in: entity, at: index.name,
        "The index has elements of both types, Binary and R-tree.",
        remedy: "Make an index of each type.")
    }
    for element in index.elements where !(element.property is NSExpressionDescription) {
      check(element, of: index, in: entity)
    }
  }

  private mutating func check(
    _ element: NSFetchIndexElementDescription, of index: NSFetchIndexDescription,
    in entity: NSEntityDescription
  ) {
    let name = element.propertyName ?? ""
    guard let property = property(at: name, of: entity) else {
      return noteUnknown(name, in: index.name, of: entity)
    }
    let isToMany = (property as? NSRelationshipDescription)?.isToMany ?? false
    if property.isTransient || isToMany || property is NSFetchedPropertyDescription {
      // Xcode writes such indexes when it converts properties that were marked as indexed.
      record(
        .indexUnsuitableProperty, as: .warning, in: entity, at: index.name,
        "Stores omit the index: \(name) has no column, since it is transient, to-many or fetched.",
        remedy: "Index stored attributes and to-one relationships.")
    } else if element.collationType == .rTree, !isNumeric(property) {
      record(
        .indexUnsuitableProperty, in: entity, at: index.name,
        "The R-tree index contains \(name), which is not a number.",
        remedy: "Index numbers, or make the index Binary.")
    }
  }

  private mutating func noteUnknown(
    _ name: String, in index: String, of entity: NSEntityDescription
  ) {
    record(
      .indexUnknownProperty, in: entity, at: index,
      "The index contains \(name), which is not a property of the entity.",
      remedy: "Name a property of \(entity.name ?? "the entity").")
  }

  private func isNumeric(_ property: NSPropertyDescription) -> Bool {
    switch (property as? NSAttributeDescription)?.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
    case .floatAttributeType, .doubleAttributeType, .decimalAttributeType, .dateAttributeType: true
    default: false
    }
  }
}
