import Foundation
import ManagedObjectModel
import PredicateLanguage
import TestSupport

/// Makes models of random entities with inheritance, every type of attribute, every kind of
/// relationship, and names that give similar column names.
struct RandomModel {
  private(set) var random: SeededGenerator
  private var entities: [NSEntityDescription] = []
  /// The properties that an entity has or inherits, or that a subentity has.
  private var taken: [String: Set<String>] = [:]

  init(_ random: SeededGenerator) { self.random = random }

  private static let entityNames = [
    "Alpha", "beta", "_Gamma", "Delta", "DELTA2", "epsilon", "Zeta_1",
  ]
  private static let attributeNames = [
    "name", "Name", "NAME1", "name1", "URL", "city", "pk", "ent", "opt", "max", "order", "select",
    "value", "fok",
  ]
  private static let types: [NSAttributeType] = [
    .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    .booleanAttributeType,
    .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .dateAttributeType,
    .stringAttributeType,
    .URIAttributeType, .UUIDAttributeType, .binaryDataAttributeType, .transformableAttributeType,
    .compositeAttributeType,
  ]

  /// Makes a model.
  ///
  /// - Parameter derives: Whether the model has derived attributes, which later changes must keep
  ///   valid.
  mutating func model(derives: Bool = false) -> NSManagedObjectModel {
    for name in Self.entityNames.shuffled(using: &random).prefix(number(2...5)) {
      let entity = NSEntityDescription()
      entity.name = name
      entities.append(entity)
    }
    for (place, entity) in entities.enumerated().dropFirst() where chance(2) {
      entities[number(0...(place - 1))].subentities.append(entity)
    }
    for entity in entities { addAttributes(to: entity) }
    for place in 0..<number(1...5) { addRelationship("link\(place)") }
    if derives { for entity in entities { addDerivedAttributes(to: entity) } }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  // MARK: Attributes

  private mutating func addAttributes(to entity: NSEntityDescription) {
    for name in Self.attributeNames.shuffled(using: &random).prefix(number(1...6))
    where isFree(name, in: entity) {
      let type = Self.types[number(0...(Self.types.count - 1))]
      let attribute = type == .compositeAttributeType ? composite() : NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      if type == .binaryDataAttributeType { attribute.allowsExternalBinaryDataStorage = chance(2) }
      if type == .transformableAttributeType {
        attribute.valueTransformerName = "NSSecureUnarchiveFromData"
      }
      attribute.preservesValueInHistoryOnDeletion = type != .compositeAttributeType && chance(4)
      entity.properties.append(attribute)
      taken[entity.name ?? "", default: []].insert(name)
    }
  }

  private func composite() -> NSAttributeDescription {
    let composite = NSCompositeAttributeDescription()
    composite.elements = [
      ("width", NSAttributeType.doubleAttributeType), ("label", .stringAttributeType),
    ].map {
      let element = NSAttributeDescription()
      (element.name, element.attributeType, element.isOptional) = ($0, $1, true)
      return element
    }
    return composite
  }

  /// Whether neither an ancestor nor a descendant has a property of the name.
  ///
  /// Siblings may have one.
  private func isFree(_ name: String, in entity: NSEntityDescription) -> Bool {
    let related = entities.filter {
      $0.lineage.contains { $0 === entity } || entity.lineage.contains($0)
    }
    return !related.contains { taken[$0.name ?? ""]?.contains(name) ?? false }
  }

  /// Adds counts, sums and copies over the entity's own relationships.
  private mutating func addDerivedAttributes(to entity: NSEntityDescription) {
    for case let relationship as NSRelationshipDescription in entity.properties {
      guard let destination = relationship.destinationEntity else { continue }
      let attributes = destination.properties.compactMap { $0 as? NSAttributeDescription }
        .filter { !($0 is NSDerivedAttributeDescription) }
      let number = attributes.first { $0.attributeType == .integer32AttributeType }
      let text = attributes.first { $0.attributeType == .stringAttributeType }
      let name = relationship.name
      if relationship.isToMany {
        derive("\(name)Count", .integer64AttributeType, "\(name).@count", for: entity)
        guard let number else { continue }
        derive("\(name)Sum", .doubleAttributeType, "\(name).#\(number.name).@sum", for: entity)
        derive(
          "\(name)Some", .integer64AttributeType, "\(name).@count", for: entity,
          where: "#\(number.name) > 0")
        derive(
          "\(name)Few", .doubleAttributeType,
          "SUBQUERY(\(name), $x, $x.#\(number.name) < 7).#\(number.name).@sum",
          for: entity)
      } else if let text {
        derive("\(name)Copy", .stringAttributeType, "\(name).#\(text.name)", for: entity)
      }
    }
  }

  private func derive(
    _ name: String, _ type: NSAttributeType, _ expression: String, for entity: NSEntityDescription,
    where filter: String? = nil
  ) {
    let attribute = NSDerivedAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
    attribute.derivationExpression = PredicateLanguage.NSExpression(format: expression)
    attribute.filteringPredicate = filter.map { NSPredicate(format: $0) }
    entity.properties.append(attribute)
  }

  // MARK: Relationships

  private mutating func addRelationship(_ name: String) {
    let (source, destination) = (
      entities[number(0...(entities.count - 1))], entities[number(0...(entities.count - 1))]
    )
    let forth = relationship(name, to: destination)
    source.properties.append(forth)
    if source === destination, chance(3) {
      forth.isOrdered = false
      forth.inverseRelationship = forth
      return
    }
    let back = relationship(name + "Back", to: source)
    destination.properties.append(back)
    forth.inverseRelationship = back
    back.inverseRelationship = forth
  }

  private mutating func relationship(_ name: String, to destination: NSEntityDescription)
    -> NSRelationshipDescription
  {
    let relationship = NSRelationshipDescription()
    (relationship.name, relationship.destinationEntity, relationship.deleteRule) = (
      name, destination, .nullifyDeleteRule
    )
    relationship.maxCount = chance(2) ? 1 : 0
    relationship.isOrdered = relationship.maxCount == 0 && chance(2)
    relationship.isOptional = true
    return relationship
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }
  private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
}

extension NSEntityDescription {
  /// The entity and its ancestors.
  fileprivate var lineage: [NSEntityDescription] { [self] + (superentity?.lineage ?? []) }
}
