import ManagedObjectModel
import PredicateLanguage

/// A model as a JSON document.
struct ModelDocument: Encodable {
  struct Entity: Encodable {
    let className: String?
    let parent: String?
    let isAbstract: Bool
    let renamingIdentifier: String?
    let versionHashModifier: String?
    let properties: [String: Property]
    let uniquenessConstraints: [[String]]
    let indexes: [String]
  }

  struct Property: Encodable {
    var kind = "attribute"
    let isOptional: Bool
    let isTransient: Bool
    let renamingIdentifier: String?
    let versionHashModifier: String?
    var type: String?
    var defaultValue: String?
    var derivation: String?
    var elements: [String: Property]?
    var validation: [String]?
    var valueClass: String?
    var valueTransformer: String?
    var destination: String?
    var inverse: String?
    var minCount: Int?
    var maxCount: Int?
    var isOrdered: Bool?
    var deleteRule: String?
    var predicate: String?
  }

  let version: String
  let versionIdentifiers: [String]
  let entities: [String: Entity]
  let configurations: [String: [String]]
  let fetchRequests: [String: String]

  init(_ version: ModelFile.Version) {
    let model = version.model
    self.version = version.name
    versionIdentifiers = model.versionIdentifiers.map { "\($0)" }.sorted()
    entities = model.entitiesByName.mapValues(Entity.init)
    configurations = Dictionary(
      model.configurations.map {
        ($0, model.entities(forConfigurationName: $0)?.compactMap(\.name) ?? [])
      },
      uniquingKeysWith: { first, _ in first })
    fetchRequests = model.fetchRequestTemplatesByName.mapValues { template in
      "\(template.entityName ?? "")\(template.predicate.map { ": \($0.formatText)" } ?? "")"
    }
  }
}

extension ModelDocument.Entity {
  init(_ entity: NSEntityDescription) {
    className = entity.managedObjectClassName
    parent = entity.superentity?.name
    isAbstract = entity.isAbstract
    renamingIdentifier = entity.renamingIdentifier == entity.name ? nil : entity.renamingIdentifier
    versionHashModifier = entity.versionHashModifier
    properties = Dictionary(
      entity.ownProperties.map { ($0.name, ModelDocument.Property($0)) },
      uniquingKeysWith: { first, _ in first })
    uniquenessConstraints = entity.uniquenessConstraintNames
    indexes =
      entity.indexes.map(\.summary)
      + entity.compoundIndexNames.map { "(\($0.joined(separator: ", ")))" }
  }
}

extension ModelDocument.Property {
  init(_ property: NSPropertyDescription) {
    isOptional = property.isOptional
    isTransient = property.isTransient
    renamingIdentifier =
      property.renamingIdentifier == property.name ? nil : property.renamingIdentifier
    versionHashModifier = property.versionHashModifier
    switch property {
    case let attribute as NSAttributeDescription: take(attribute)
    case let relationship as NSRelationshipDescription: take(relationship)
    case let fetched as NSFetchedPropertyDescription:
      kind = "fetchedProperty"
      destination = fetched.fetchRequest?.entityName
      predicate = fetched.fetchRequest?.predicate?.formatText
    default: kind = "property"
    }
  }

  private mutating func take(_ attribute: NSAttributeDescription) {
    type = attribute.attributeType.displayName
    defaultValue = ModelValue.text(attribute.defaultValue)
    valueClass = attribute.attributeValueClassName
    valueTransformer = attribute.valueTransformerName
    if !attribute.validationPredicates.isEmpty {
      validation = attribute.validationPredicates.map(\.formatText)
    }
    derivation = (attribute as? NSDerivedAttributeDescription)?.derivationExpression?.description
    elements = (attribute as? NSCompositeAttributeDescription).map { composite in
      Dictionary(
        composite.elements.map { ($0.name, Self($0)) }, uniquingKeysWith: { first, _ in first })
    }
  }

  private mutating func take(_ relationship: NSRelationshipDescription) {
    kind = "relationship"
    destination = relationship.destinationEntity?.name
    inverse = relationship.inverseRelationship?.name
    minCount = relationship.minCount
    maxCount = relationship.maxCount
    isOrdered = relationship.isOrdered
    deleteRule = relationship.deleteRule.displayName
  }
}
