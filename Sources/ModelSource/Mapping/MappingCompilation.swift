import Foundation
package import ManagedObjectModel
import PredicateLanguage

extension MappingSource {
  /// Compiles the mapping model for two models.
  package func mapping(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel
  ) throws(ModelSourceError) -> NSMappingModel {
    let compilation = MappingCompilation(source: self, from: source, to: destination)
    let mappings = entities.map(compilation.mapping)
    try compilation.log.throwIfFailed(file: file)
    return NSMappingModel(entityMappings: mappings)
  }
}

/// Compiles a mapping model: completes what Xcode generates, and resolves names.
struct MappingCompilation {
  let log = IssueLog()
  private let file: String
  private let source: NSManagedObjectModel
  private let destination: NSManagedObjectModel
  /// The name of each source entity's first mapping with a destination, by the entity's name.
  private let namesBySource: [String: String]

  init(
    source mapping: MappingSource, from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) {
    file = mapping.file
    self.source = source
    self.destination = destination
    namesBySource = Dictionary(
      mapping.entities.compactMap { entity in
        guard entity.values["destinationname"] != nil else { return nil }
        return entity.values["sourcename"].map { ($0, Self.name(of: entity.values)) }
      }, uniquingKeysWith: { first, _ in first })
  }

  func mapping(_ entity: MappingSource.Entity) -> NSEntityMapping {
    let values = entity.values
    let mapping = NSEntityMapping()
    mapping.name = Self.name(of: values)
    mapping.sourceEntityName = values["sourcename"]
    mapping.destinationEntityName = values["destinationname"]
    let former = self.entity(values["sourcename"], in: source, "source", mapping)
    let newer = self.entity(values["destinationname"], in: destination, "destination", mapping)
    mapping.sourceEntityVersionHash = former?.versionHash
    mapping.destinationEntityVersionHash = newer?.versionHash
    mapping.entityMigrationPolicyClassName = values["migrationpolicyclassname"]
    mapping.mappingType = Self.type(of: mapping)
    mapping.userInfo = userInfo(of: values, mapping)
    if former != nil { mapping.sourceExpression = sourceExpression(values, mapping) }
    let properties = PropertyCompilation(
      mapping: mapping, source: former, destination: newer, namesBySource: namesBySource)
    mapping.attributeMappings = entity.attributes.compactMap {
      property($0, mapping, properties.attribute)
    }
    mapping.relationshipMappings = entity.relationships.compactMap {
      property($0, mapping, properties.relationship)
    }
    return mapping
  }

  /// The name of a mapping: Xcode's default if it has none.
  private static func name(of values: MappingSourceObject) -> String {
    if let name = values["name"] { return name }
    let names = [values["sourcename"], values["destinationname"]].compactMap(\.self)
    return names.joined(separator: "To")
  }

  private static func type(of mapping: NSEntityMapping) -> NSEntityMappingType {
    if mapping.sourceEntityName == nil { return .addEntityMappingType }
    if mapping.destinationEntityName == nil { return .removeEntityMappingType }
    if mapping.entityMigrationPolicyClassName != nil { return .customEntityMappingType }
    return mapping.sourceEntityVersionHash == mapping.destinationEntityVersionHash
      ? .copyEntityMappingType : .transformEntityMappingType
  }

  private func entity(
    _ name: String?, in model: NSManagedObjectModel, _ side: String, _ mapping: NSEntityMapping
  ) -> NSEntityDescription? {
    guard let name else { return nil }
    guard let entity = model.entitiesByName[name] else {
      record(
        .unresolved, mapping, nil, "The \(side) model has no entity \(name).",
        "Correct the mapping, or compile it with the models that it was made for.")
      return nil
    }
    return entity
  }

  private func sourceExpression(_ values: MappingSourceObject, _ mapping: NSEntityMapping)
    -> PredicateLanguage.NSExpression?
  {
    if !values.isGenerated, let data = values.data("sourceexpressiondata") {
      return expression(data, mapping, nil)
    }
    return MappingExpressions.objects(
      ofEntity: mapping.sourceEntityName ?? "",
      matching: values["sourcefilterpredicatestring"] ?? "TRUEPREDICATE")
  }

  // MARK: Properties

  private func property(
    _ values: MappingSourceObject, _ mapping: NSEntityMapping,
    _ generate: (String, MappingSourceObject) throws -> PredicateLanguage.NSExpression?
  ) -> NSPropertyMapping? {
    guard let name = values["name"] else {
      record(.missingValue, mapping, nil, "A property mapping has no name.", "Remove it in Xcode.")
      return nil
    }
    let property = NSPropertyMapping()
    property.name = name
    property.userInfo = userInfo(of: values, mapping)
    do {
      let generated = try generate(name, values)
      let written = values.isGenerated ? nil : values.data("valueexpressiondata")
      property.valueExpression = written.map { expression($0, mapping, name) } ?? generated
    } catch {
      record(
        .unresolved, mapping, name, "\(error).", "Correct the mapping, or write an expression.")
    }
    return property
  }

  private func expression(_ data: Data, _ mapping: NSEntityMapping, _ property: String?)
    -> PredicateLanguage.NSExpression?
  {
    do {
      return try CompiledMapping.readExpression(data)
    } catch {
      record(
        .badPredicate, mapping, property, "The expression cannot be read: \(error).",
        "Write it again in Xcode.")
      return nil
    }
  }

  private func userInfo(of values: MappingSourceObject, _ mapping: NSEntityMapping)
    -> [AnyHashable: Any]?
  {
    guard let data = values.data("userinfodata") else { return nil }
    guard let info = try? ValueArchive(data).value() as? [AnyHashable: Any] else {
      record(
        .badValue, mapping, values["name"], "The user info cannot be read.",
        "Enter it again in Xcode.")
      return nil
    }
    return info.isEmpty ? nil : info
  }

  private func record(
    _ code: ModelSourceError.Code, _ mapping: NSEntityMapping, _ property: String?,
    _ problem: String, _ remedy: String
  ) {
    let place = ["entity mapping \(mapping.name ?? "")", property].compactMap(\.self)
    log.record(
      ModelSourceIssue(
        severity: .error, code: code, file: file, position: nil,
        element: place.joined(separator: " › "), attribute: nil, problem: problem, remedy: remedy))
  }
}
