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
          .duplicateName, "name", "\(declaration.name) has another property \(property.name).", "Rename one of them.")
        continue
      }
      if Self.reservedNames.contains(property.name) {
        reader.warning(
          .badName, "name", "Every managed object has a member called \(property.name) already.", "Rename the property."
        )
      }
      own.append(property)
    }
    declaration.entity.ownProperties = own
    properties.enter(declaration.entity)
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
      return nil
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

  /// Names that `NSManagedObject` and `NSObject` use for members of their own.
  private static let reservedNames: Set<String> = [
    "changedValues", "debugDescription", "description", "entity", "faultingState", "hasChanges",
    "hasPersistentChangedValues",
    "hash", "init", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID", "self",
    "superclass", "zone",
  ]
}
