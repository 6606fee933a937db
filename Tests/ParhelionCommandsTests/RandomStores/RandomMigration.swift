import Foundation
import ManagedObjectModel
import TestSupport

/// Makes another version of a model by changes that an inferred mapping supports, and records the
/// renamings.
struct RandomMigration {
  private var random: SeededGenerator
  let model: NSManagedObjectModel
  /// The former names of entities by their present names.
  ///
  /// New entities have none.
  private(set) var formerEntities: [String: String] = [:]
  /// The former names of properties by entity and present name.
  ///
  /// New properties have none.
  private(set) var formerProperties: [String: [String: String]] = [:]
  private(set) var edits: [String] = []
  private var count = 0

  /// Makes a version by random changes of a model.
  init?(of source: NSManagedObjectModel, _ random: SeededGenerator) {
    guard let copy = source.copy() as? NSManagedObjectModel else { return nil }
    self.random = random
    model = copy
    for entity in copy.entities {
      let name = entity.name ?? ""
      formerEntities[name] = name
      formerProperties[name] = Dictionary(
        uniqueKeysWithValues: entity.propertiesByName.keys.map { ($0, $0) })
    }
    for _ in 0..<number(1...5) { edit() }
  }

  private mutating func edit() {
    count += 1
    switch number(0...8) {
    case 0: addAttribute()
    case 1: removeAttribute()
    case 2: renameProperty()
    case 3: renameEntity()
    case 4: addEntity()
    case 5: removeEntity()
    case 6: removeRelationship()
    case 7: toggleOrdering()
    default: widen()
    }
  }

  // MARK: Attributes

  private mutating func addAttribute() {
    let entity = pickEntity()
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = ("added\(count)", .stringAttributeType)
    attribute.isOptional = chance(2)
    if !attribute.isOptional { attribute.defaultValue = "new" }
    entity.properties.append(attribute)
    edits.append("add \(entity.name ?? "").\(attribute.name)")
  }

  private mutating func removeAttribute() {
    let entity = pickEntity()
    guard let attribute = pick(own(entity).filter { $0 is NSAttributeDescription }) else { return }
    remove(attribute, from: entity)
  }

  private mutating func remove(_ property: NSPropertyDescription, from entity: NSEntityDescription)
  {
    entity.properties.removeAll { $0 === property }
    for below in subtree(of: entity) { formerProperties[below.name ?? ""]?[property.name] = nil }
    edits.append("remove \(entity.name ?? "").\(property.name)")
  }

  private mutating func renameProperty() {
    let entity = pickEntity()
    guard let property = pick(own(entity)),
      property.renamingIdentifier == property.name || property.renamingIdentifier == nil,
      formerProperties[entity.name ?? ""]?[property.name] == property.name
    else { return }
    let former = property.name
    property.renamingIdentifier = former
    property.name = "renamed\(count)"
    for below in subtree(of: entity) {
      formerProperties[below.name ?? ""]?[property.name] = former
      formerProperties[below.name ?? ""]?[former] = nil
    }
    edits.append("rename \(entity.name ?? "").\(former) to \(property.name)")
  }

  // MARK: Entities

  private mutating func renameEntity() {
    let entity = pickEntity()
    guard let name = entity.name, formerEntities[name] == name else { return }
    entity.renamingIdentifier = name
    entity.name = "Renamed\(count)"
    formerEntities["Renamed\(count)"] = name
    formerEntities[name] = nil
    formerProperties["Renamed\(count)"] = formerProperties.removeValue(forKey: name)
    edits.append("rename \(name) to Renamed\(count)")
  }

  private mutating func addEntity() {
    let entity = NSEntityDescription()
    entity.name = "Added\(count)"
    let attribute = NSAttributeDescription()
    (attribute.name, attribute.attributeType) = ("name", .stringAttributeType)
    entity.properties = [attribute]
    model.entities.append(entity)
    edits.append("add \(entity.name ?? "")")
  }

  private mutating func removeEntity() {
    let entity = pickEntity()
    guard model.entities.count > 1, entity.subentities.isEmpty, let name = entity.name else {
      return
    }
    for other in model.entities {
      for case let relationship as NSRelationshipDescription in own(other)
      where relationship.destinationEntity === entity { remove(relationship, from: other) }
    }
    for case let relationship as NSRelationshipDescription in own(entity) {
      relationship.inverseRelationship?.inverseRelationship = nil
    }
    entity.superentity?.subentities.removeAll { $0 === entity }
    model.entities.removeAll { $0 === entity }
    (formerEntities[name], formerProperties[name]) = (nil, nil)
    edits.append("remove \(name)")
  }

  // MARK: Relationships

  private mutating func removeRelationship() {
    let entity = pickEntity()
    let relationships = own(entity).compactMap { $0 as? NSRelationshipDescription }
    guard let relationship = pick(relationships) else { return }
    if let inverse = relationship.inverseRelationship, inverse !== relationship,
      let owner = relationship.destinationEntity
    {
      remove(inverse, from: owner)
    }
    remove(relationship, from: entity)
  }

  /// Toggles whether a to-many relationship is ordered.
  private mutating func toggleOrdering() {
    let relationships = own(pickEntity()).compactMap { $0 as? NSRelationshipDescription }
    guard
      let relationship = pick(relationships.filter { $0.isToMany && $0.inverseRelationship !== $0 })
    else { return }
    relationship.isOrdered.toggle()
    edits.append("\(relationship.isOrdered ? "order" : "do not order") \(relationship.name)")
  }

  /// Makes a to-one relationship to-many.
  private mutating func widen() {
    let relationships = own(pickEntity()).compactMap { $0 as? NSRelationshipDescription }
    guard let relationship = pick(relationships.filter { !$0.isToMany }) else { return }
    relationship.maxCount = 0
    edits.append("widen \(relationship.name)")
  }

  // MARK: Picking

  private mutating func pickEntity() -> NSEntityDescription {
    let entities = model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
    return entities[number(0...(entities.count - 1))]
  }

  /// The properties that the entity declares itself.
  private func own(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
    let inherited = Set(entity.superentity?.propertiesByName.keys.map { $0 } ?? [])
    return entity.propertiesByName.values.filter { !inherited.contains($0.name) }.sorted {
      $0.name < $1.name
    }
  }

  private func subtree(of entity: NSEntityDescription) -> [NSEntityDescription] {
    [entity] + entity.subentities.flatMap { subtree(of: $0) }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }
  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }
  private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
}
