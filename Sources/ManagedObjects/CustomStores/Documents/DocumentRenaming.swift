import ManagedObjectModel

/// Adapts the names, objects and attributes of a document to another version of the model.
struct DocumentRenaming {
  private let source: DocumentModel
  private let entities: Correspondence<NSEntityDescription>
  private let destinations: [ObjectIdentifier: NSEntityDescription]

  init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
    self.source = DocumentModel(source)
    entities = Correspondence(
      from: source.entities, to: destination.entities, name: { $0.name ?? "" },
      identifier: \.storedRenamingIdentifier)
    destinations = Dictionary(
      entities.pairs.map { (ObjectIdentifier($0.source), $0.destination) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Adapts the objects, and returns the values that they lack; nil if they lack none.
  func run(on document: inout StoreDocument) throws(DocumentError) -> MissingValues? {
    var objects: [DocumentObject] = []
    for object in document.objects {
      if let renamed = try renamed(object) { objects.append(renamed) }
    }
    let kept = Set(objects.map(\.name))
    for index in objects.indices {
      for place in objects[index].relationships.indices {
        objects[index].relationships[place].members.removeAll { !kept.contains($0) }
      }
    }
    document.objects = objects
    return missingValues(in: objects)
  }

  /// The first required attribute, in the order of names, for which objects lack a value.
  private func missingValues(in objects: [DocumentObject]) -> MissingValues? {
    for entity in destinations.values.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
      let own = objects.filter { $0.entity == entity.name }
      for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
      where attribute.needsValue {
        let count = own.count { !$0.attributes.contains { $0.name == name } }
        guard count == 0 else {
          return MissingValues(entity: entity.name ?? "", attribute: name, count: count)
        }
      }
    }
    return nil
  }

  /// The object in the new version; nil if its entity was removed.
  private func renamed(_ object: DocumentObject) throws(DocumentError) -> DocumentObject? {
    let former = try source.entity(object.entity)
    guard let entity = destinations[ObjectIdentifier(former)] else { return nil }
    let names = Self.names(from: former, to: entity)
    var renamed = DocumentObject(entity: entity.name ?? "", name: object.name)
    for (name, value) in object.attributes {
      guard let new = names[try source.property(name, of: former).name] else { continue }
      renamed.attributes.append((new, value))
    }
    for relationship in object.relationships {
      guard let new = names[try source.property(relationship.name, of: former).name] else {
        continue
      }
      var moved = relationship
      moved.name = new
      renamed.relationships.append(moved)
    }
    addDefaults(of: entity, names, to: &renamed)
    return renamed
  }

  /// The new names of the properties that remain, by the former names.
  private static func names(from source: NSEntityDescription, to destination: NSEntityDescription)
    -> [String: String]
  {
    let properties = Correspondence(
      from: source.properties, to: destination.properties, name: \.name,
      identifier: \.storedRenamingIdentifier)
    return Dictionary(
      properties.pairs.map { ($0.source.name, $0.destination.name) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Adds default values for new attributes, and for required ones without a value.
  private func addDefaults(
    of entity: NSEntityDescription, _ names: [String: String], to object: inout DocumentObject
  ) {
    let present = Set(object.attributes.map(\.name))
    let former = Set(names.values)
    for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
    where !attribute.isTransient && !present.contains(name) {
      guard !former.contains(name) || !attribute.isOptional else { continue }
      let value = try? AttributeText(attribute: attribute).documentValue(attribute.defaultValue)
      if let value { object.attributes.append((name, value)) }
    }
  }
}
