import ManagedObjectModel

/// The model of a world, as its workload requires.
///
/// Every object has a key that never changes, by which users would recognize it.
enum SimulatedModel {
  /// A version of the model; each contains the previous ones.
  enum Version: Int, CaseIterable, Sendable {
    case first = 1
    /// Adds ratings to notes, and projects.
    case second

    /// The entities that only later versions have.
    var unknownEntities: Set<String> { self == .first ? ["Project"] : [] }
    /// The properties that only later versions have.
    var unknownProperties: Set<String> { self == .first ? ["project", "rating"] : [] }
  }

  /// The entities of all workloads, in order.
  static let entities = [
    "Album", "Board", "Card", "Cat", "Comment", "Contribution", "Dog", "Draft", "Folder", "Home",
    "Letter", "Locker",
    "Member",
    "Note",
    "Person", "Photo", "Project", "Puppy", "Shelf", "Tag", "Volume",
  ]
  /// The parent entities; `Animal` itself has no objects.
  private static let parents = ["Cat": "Animal", "Dog": "Animal", "Puppy": "Dog"]

  /// Returns the model of a program's version.
  ///
  /// - Parameter mutation: The defect of the program, if any.
  static func make(
    _ version: Version, for workload: Workload, _ mutation: Mutation? = nil
  ) -> NSManagedObjectModel {
    let names = workload.entities + (workload.changesModel && version == .second ? ["Project"] : [])
    let entities = Dictionary(uniqueKeysWithValues: names.map { ($0, entity($0)) })
    entities["Contribution"]?.properties += [
      attribute("date", .dateAttributeType), attribute("author", .stringAttributeType),
    ]
    entities["Note"]?.properties += [
      attribute("body", .stringAttributeType), attribute("count", .integer64AttributeType),
      attribute("data", .binaryDataAttributeType),
    ]
    if workload.encrypts, mutation != .sendPlain {
      entities["Note"]?.attributesByName["body"]?.allowsCloudEncryption = true
    }
    entities["Person"]?.properties += [attribute("email", .stringAttributeType)]
    entities["Person"]?.uniquenessConstraints = [["email"]]
    entities["Dog"]?.properties += [attribute("breed", .stringAttributeType)]
    entities["Puppy"]?.properties += [attribute("count", .integer64AttributeType)]
    entities["Cat"]?.properties += [attribute("count", .integer64AttributeType)]
    if entities["Project"] != nil {
      entities["Note"]?.properties += [attribute("rating", .integer64AttributeType)]
    }
    for relation in Relation.all {
      guard let one = entities[relation.entity], let other = entities[relation.destination] else {
        continue
      }
      relate(one, other, relation, mutation == .keepMembers ? .nullifyDeleteRule : relation.rule)
    }
    for (name, parent) in parents.sorted(by: <) {
      if let entity = entities[name] { entities[parent]?.subentities.append(entity) }
    }
    entities["Animal"]?.isAbstract = true
    let model = NSManagedObjectModel()
    model.entities = names.compactMap { entities[$0] }
    if let draft = entities[Draft.entity] {
      let mirrored = model.entities.filter { $0 !== draft || mutation == .mirrorDrafts }
      model.setEntities(mirrored, forConfigurationName: mirroredConfiguration)
      model.setEntities([draft], forConfigurationName: localConfiguration)
    }
    return model
  }

  /// The configurations of a device's two stores.
  static let (mirroredConfiguration, localConfiguration) = ("Cloud", "Local")

  /// A relationship between two entities; its inverse is usually to-many.
  struct Relation {
    let entity: String
    let name: String
    let destination: String
    let inverse: String
    var isToMany = false
    /// Whether the inverse is ordered.
    var isOrdered = false
    /// Whether the inverse is to-one.
    var isOneToOne = false
    /// The delete rule of the inverse.
    var rule = NSDeleteRule.nullifyDeleteRule

    static let all = [
      Self(entity: "Animal", name: "home", destination: "Home", inverse: "animals"),
      Self(entity: "Animal", name: "tags", destination: "Tag", inverse: "animals", isToMany: true),
      Self(entity: "Card", name: "board", destination: "Board", inverse: "cards", isOrdered: true),
      Self(entity: "Card", name: "tags", destination: "Tag", inverse: "cards", isToMany: true),
      Self(
        entity: "Comment", name: "photo", destination: "Photo", inverse: "comments",
        rule: .cascadeDeleteRule),
      Self(
        entity: "Contribution", name: "parent", destination: "Contribution", inverse: "children"),
      Self(entity: "Letter", name: "person", destination: "Person", inverse: "letters"),
      Self(
        entity: "Locker", name: "member", destination: "Member", inverse: "locker", isOneToOne: true
      ),
      Self(entity: "Note", name: "folder", destination: "Folder", inverse: "notes"),
      Self(entity: "Note", name: "tags", destination: "Tag", inverse: "notes", isToMany: true),
      Self(entity: "Note", name: "project", destination: "Project", inverse: "notes"),
      Self(
        entity: "Photo", name: "album", destination: "Album", inverse: "photos",
        rule: .cascadeDeleteRule),
      Self(
        entity: "Volume", name: "shelf", destination: "Shelf", inverse: "volumes",
        rule: .denyDeleteRule),
    ]

    /// The delete rule of an inverse relationship; nil if there is none with that name.
    static func rule(of inverse: String, in entity: String) -> NSDeleteRule? {
      all.first { $0.destination == entity && $0.inverse == inverse }?.rule
    }
  }

  private static func entity(_ name: String) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    guard parents[name] == nil else { return entity }
    entity.properties = [
      attribute("key", .stringAttributeType), attribute("title", .stringAttributeType),
    ]
    return entity
  }

  private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  private static func relate(
    _ one: NSEntityDescription, _ other: NSEntityDescription, _ relation: Relation,
    _ rule: NSDeleteRule
  ) {
    let forth = relationship(relation.name, to: other, isToMany: relation.isToMany)
    let back = relationship(relation.inverse, to: one, isToMany: !relation.isOneToOne)
    back.deleteRule = rule
    back.isOrdered = relation.isOrdered
    (forth.inverseRelationship, back.inverseRelationship) = (back, forth)
    one.properties.append(forth)
    other.properties.append(back)
  }

  private static func relationship(
    _ name: String, to entity: NSEntityDescription, isToMany: Bool
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = entity
    relationship.maxCount = isToMany ? 0 : 1
    relationship.isOptional = true
    relationship.deleteRule = .nullifyDeleteRule
    return relationship
  }
}
