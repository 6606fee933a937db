import ManagedObjectModel

extension ModelReader {
  /// Reads the attributes, relationships and fetched properties of an entity.
  func readProperties(of declaration: Declaration) {
    var own: [NSPropertyDescription] = []
    var names: Set<String> = []
    for child in declaration.element.element.children {
      guard let (property, reader) = readProperty(child, of: declaration) else { continue }
      guard names.insert(property.name).inserted else {
        reader.error(
          .duplicateName, "name", "\(declaration.name) has another property \(property.name).",
          "Rename one of them.")
        continue
      }
      offsets["\(declaration.name).\(property.name)"] = reader.element.offset
      own.append(property)
    }
    declaration.entity.ownProperties = own
    properties.add(declaration.entity)
  }

  private func readProperty(
    _ element: SourceElement, of declaration: Declaration
  ) -> (NSPropertyDescription, ElementReader)? {
    let outer = declaration.element
    var reader = ElementReader(element, in: file, inside: outer.path)
    switch element.name {
    case "attribute":
      var source = AttributeSourceInfo(position: file.lines.position(ofByte: element.offset))
      let attribute = AttributeReader(composites: composites).read(with: &reader, source: &source)
      if let attribute { info.entities[declaration.name]?.attributes[attribute.name] = source }
      return attribute.map { ($0, reader) }
    case "relationship":
      return readRelationship(with: &reader, of: declaration).map { ($0, reader) }
    case "fetchedProperty":
      return readFetchedProperty(with: &reader).map { ($0, reader) }
    case "fetchIndex", "uniquenessConstraints", "compoundIndexes", "userInfo":
      return nil
    default:
      outer.unknownChild(element)
      return nil
    }
  }

  /// Reports properties that have the name of an inherited one.
  func checkInheritedNames() {
    for declaration in declarations {
      guard let parent = declaration.entity.superentity else { continue }
      for property in declaration.entity.ownProperties {
        guard properties.property(named: property.name, of: parent) != nil else { continue }
        declaration.element.error(
          .duplicateName, nil, "\(declaration.name) inherits another property \(property.name).",
          "Rename one of them, or remove the one of the subentity.")
      }
    }
  }
}
