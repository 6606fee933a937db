import PredicateLanguage

extension ModelValidation {
  /// Checks an attribute; `path` is its name, prefixed with its composites.
  mutating func check(
    _ attribute: NSAttributeDescription, at path: String, in entity: NSEntityDescription
  ) {
    switch attribute.attributeType {
    case .undefinedAttributeType where !attribute.isTransient:
      record(
        .undefinedType, in: entity, at: path, "The attribute has no type, but is stored.",
        remedy: "Choose a type, or make the attribute transient.")
    case .objectIDAttributeType:
      record(
        .unknownType, in: entity, at: path, "The type Object ID is for expressions only.",
        remedy: "Use a relationship, or store the identifier's URI.")
    case .compositeAttributeType where !(attribute is NSCompositeAttributeDescription):
      record(
        .compositeWithoutElements, in: entity, at: path,
        "The attribute is of type Composite, but has no elements.",
        remedy: "Use an NSCompositeAttributeDescription.")
    default:
      break
    }
    checkDefaultValue(of: attribute, at: path, in: entity)
    checkExternalStorage(of: attribute, at: path, in: entity)
  }

  private mutating func checkDefaultValue(
    of attribute: NSAttributeDescription, at path: String, in entity: NSEntityDescription
  ) {
    guard let value = attribute.defaultValue,
      let problem = attribute.attributeType.problem(withValue: value)
    else {
      return
    }
    record(
      .defaultValueMismatch, in: entity, at: path, "The default value \(problem).",
      remedy: "Set a default value of the attribute's type.")
  }

  private mutating func checkExternalStorage(
    of attribute: NSAttributeDescription, at path: String, in entity: NSEntityDescription
  ) {
    guard attribute.allowsExternalBinaryDataStorage else { return }
    switch attribute.attributeType {
    case .binaryDataAttributeType, .transformableAttributeType: break
    default:
      record(
        .unsuitableOption, as: .warning, in: entity, at: path,
        "External storage is for binary data; it has no effect here.",
        remedy: "Turn it off, or change the type.")
    }
  }

  // MARK: - Derived attributes

  mutating func check(_ derived: NSDerivedAttributeDescription, of entity: NSEntityDescription) {
    check(derived, at: derived.name, in: entity)
    if derived.isTransient {
      record(
        .derivedTransient, in: entity, at: derived.name,
        "A derived attribute cannot be transient: the store computes it.",
        remedy: "Make it not transient.")
    }
    guard let expression = derived.derivationExpression else {
      return record(
        .derivedWithoutExpression, in: entity, at: derived.name,
        "The derived attribute has no derivation expression.",
        remedy: "Set one, such as canonical:(name), or items.@count.")
    }
    for name in expression.firstKeys where entity.propertiesByName[name] == nil {
      record(
        .derivedFromUnknownProperty, in: entity, at: derived.name,
        "The derivation uses \(name), which is not a property of the entity.",
        remedy: "Name a property of \(entity.name ?? "the entity").")
    }
  }

  // MARK: - Composite attributes

  mutating func checkElements(
    of composite: NSCompositeAttributeDescription, at path: String, in entity: NSEntityDescription,
    depth: Int
  ) {
    checkDefaultValue(of: composite, at: path, in: entity)
    if composite.elements.isEmpty {
      record(
        .compositeWithoutElements, in: entity, at: path, "The composite attribute has no elements.",
        remedy: "Add at least one.")
    }
    for name in repeated(composite.elements.map(\.name)) {
      record(
        .duplicateName, in: entity, at: "\(path).\(name)",
        "There are several elements with this name.",
        remedy: "Give each element a different name.")
    }
    guard depth <= Limits.compositeDepth else {
      return record(
        .compositeTooDeep, in: entity, at: path,
        "Composite attributes nest more than \(Limits.compositeDepth) levels, or one contains itself.",
        remedy: "Flatten them.")
    }
    for element in composite.elements {
      check(element: element, of: path, in: entity, depth: depth)
    }
  }

  private mutating func check(
    element: NSAttributeDescription, of path: String, in entity: NSEntityDescription, depth: Int
  ) {
    let elementPath = "\(path).\(element.name)"
    if element.name.isEmpty {
      record(.emptyName, in: entity, at: path, "An element has no name.", remedy: "Name it.")
    }
    if element is NSDerivedAttributeDescription || element.isTransient {
      record(
        .compositeElementUnsuitable, in: entity, at: elementPath,
        "An element cannot be derived or transient.",
        remedy: "Make it an attribute of the entity instead.")
    }
    if !element.isOptional {
      record(
        .compositeElementRequired, as: .warning, in: entity, at: elementPath,
        "With a required element, an object cannot be saved if its composite lacks the element or is nil.",
        remedy: "Make the element optional.")
    }
    if let composite = element as? NSCompositeAttributeDescription {
      checkElements(of: composite, at: elementPath, in: entity, depth: depth + 1)
    } else {
      check(element, at: elementPath, in: entity)
    }
  }
}
