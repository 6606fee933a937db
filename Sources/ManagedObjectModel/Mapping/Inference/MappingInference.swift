import Foundation

/// Infers the mapping model that makes the same changes as a lightweight migration between two
/// models.
struct MappingInference {
  private let source: NSManagedObjectModel
  private let destination: NSManagedObjectModel
  private let entities: Correspondence<NSEntityDescription>

  init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) {
    self.source = source
    self.destination = destination
    entities = Correspondence(
      from: source.entities.sorted(by: Self.byName),
      to: destination.entities.sorted(by: Self.byName),
      name: { $0.name ?? "" }, identifier: \.storedRenamingIdentifier)
  }

  private static func byName(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
    (one.name ?? "").utf8.lexicographicallyPrecedes((other.name ?? "").utf8)
  }

  /// Infers the mapping model.
  ///
  /// - Throws: An error in Cocoa's domain that lists what cannot be inferred.
  func run() throws -> NSMappingModel {
    try requireInference()
    let model = NSMappingModel(
      entityMappings: entities.removed.map(removal) + entities.added.map(addition)
        + entities.pairs.map { PairMapping(from: $0.source, to: $0.destination).mapping })
    model.recordInference()
    return model
  }

  // MARK: Whether a mapping can be inferred

  private func requireInference() throws {
    guard let refusal = ModelDifference(from: source, to: destination).refusal() else { return }
    let details = [
      NSLocalizedDescriptionKey:
        """
      No mapping model can be inferred between the models. \(refusal.reasons) Add a mapping \
      model, or a stage to the migration.
      """,
      "reason": "inferredMappingModel",
    ]
    throw NSError(
      domain: NSCocoaErrorDomain, code: Self.errorCode,
      userInfo: details.merging(refusal.context) { own, _ in own })
  }

  /// Apple's code `NSInferredMappingModelError`.
  private static let errorCode = 134_190

  // MARK: Entities of one model

  private func removal(_ entity: NSEntityDescription) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = "IEM_Remove_\(entity.name ?? "")"
    mapping.mappingType = .removeEntityMappingType
    mapping.sourceEntityName = entity.name
    mapping.sourceEntityVersionHash = entity.versionHash
    return mapping
  }

  private func addition(_ entity: NSEntityDescription) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = "IEM_Add_\(entity.name ?? "")"
    mapping.mappingType = .addEntityMappingType
    mapping.destinationEntityName = entity.name
    mapping.destinationEntityVersionHash = entity.versionHash
    return mapping
  }
}

/// Maps an entity to the corresponding one of the other model.
private struct PairMapping {
  private let source: NSEntityDescription
  private let destination: NSEntityDescription
  private let properties: Correspondence<NSPropertyDescription>

  init(from source: NSEntityDescription, to destination: NSEntityDescription) {
    self.source = source
    self.destination = destination
    properties = Correspondence(
      from: source.propertiesInRowOrder, to: destination.propertiesInRowOrder, name: \.name,
      identifier: \.storedRenamingIdentifier)
  }

  var mapping: NSEntityMapping {
    let isCopy = source.versionHash == destination.versionHash
    let mapping = NSEntityMapping()
    mapping.name = "IEM_\(isCopy ? "Copy" : "Transform")_\(destination.name ?? "")"
    mapping.mappingType = isCopy ? .copyEntityMappingType : .transformEntityMappingType
    mapping.sourceEntityName = source.name
    mapping.sourceEntityVersionHash = source.versionHash
    mapping.destinationEntityName = destination.name
    mapping.destinationEntityVersionHash = destination.versionHash
    mapping.sourceExpression = MappingExpressions.objects(ofEntity: source.name ?? "")
    mapping.attributeMappings = properties.pairs.compactMap(attributeMapping)
    mapping.relationshipMappings = properties.pairs.compactMap(relationshipMapping)
    return mapping
  }

  private func attributeMapping(_ former: NSPropertyDescription, _ property: NSPropertyDescription)
    -> NSPropertyMapping?
  {
    guard let former = former as? NSAttributeDescription,
      let attribute = property as? NSAttributeDescription,
      !former.isTransient, !attribute.isTransient, !(attribute is NSDerivedAttributeDescription)
    else { return nil }
    let value = MappingExpressions.sourceValue(former.name)
    guard !attribute.isOptional, former.isOptional, let standard = attribute.defaultValue else {
      return makeMapping(of: attribute, value)
    }
    return makeMapping(of: attribute, MappingExpressions.value(value, orDefault: standard))
  }

  private func relationshipMapping(
    _ former: NSPropertyDescription, _ property: NSPropertyDescription
  ) -> NSPropertyMapping? {
    guard let former = former as? NSRelationshipDescription,
      let relationship = property as? NSRelationshipDescription,
      !former.isTransient, !relationship.isTransient
    else { return nil }
    return makeMapping(
      of: relationship, MappingExpressions.destinations(ofRelationship: former.name))
  }

  private func makeMapping(of property: NSPropertyDescription, _ value: NSExpression)
    -> NSPropertyMapping
  {
    let mapping = NSPropertyMapping()
    mapping.name = property.name
    mapping.valueExpression = value
    return mapping
  }
}
