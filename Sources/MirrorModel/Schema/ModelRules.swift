import CloudRecords
import ManagedObjectModel

/// The requirements of CloudKit integration for a model.
enum ModelRules {
  /// Returns the entities of a configuration.
  ///
  /// Nil and Core Data's name for the default configuration mean all entities.
  package static func entities(
    of model: NSManagedObjectModel, configuration: String?
  ) throws(ModelRuleErrors) -> [NSEntityDescription] {
    if let entities = model.entities(forConfigurationName: configuration) { return entities }
    if configuration == "PF_DEFAULT_CONFIGURATION_NAME" { return model.entities }
    throw ModelRuleErrors([
      ModelRuleError(
        rule: .unknownConfiguration, entity: nil, property: nil,
        message:
          "CloudKit integration requires a configuration of the model: it has none named \(configuration ?? "").",
        remedy: "Its configurations are: \(model.configurations.sorted().joined(separator: ", ")).")
    ])
  }

  /// Returns everything that prevents mirroring entities.
  package static func problems(of entities: [NSEntityDescription], isPublic: Bool)
    -> [ModelRuleError]
  {
    let members = Set(entities.map(ObjectIdentifier.init))
    // A record has fields for inherited properties, even if the configuration lacks the ancestor.
    var seen: Set<ObjectIdentifier> = []
    let all = entities.flatMap(\.lineage).filter { seen.insert(ObjectIdentifier($0)).inserted }
      .sorted { ($0.name ?? "") < ($1.name ?? "") }
    return all.flatMap { entity in
      problems(of: entity)
        + entity.ownProperties.filter { !$0.isTransient }.sorted { $0.name < $1.name }
        .flatMap { problems(of: $0, in: entity, members, isPublic: isPublic) }
    }
  }

  private static func problems(of entity: NSEntityDescription) -> [ModelRuleError] {
    guard let issue = CloudName.recordType.issue(inName: MirrorNames.field(entity.name ?? ""))
    else { return [] }
    return [
      ModelRuleError(
        rule: .unusableName, entity: entity.name, property: nil,
        message:
          "CloudKit integration requires that the names of entities can be those of record types: \(MirrorNames.field(entity.name ?? "")) \(issue).",
        remedy: "Rename the entity; its class may keep its name.")
    ]
  }

  private static func problems(
    of property: NSPropertyDescription, in entity: NSEntityDescription,
    _ members: Set<ObjectIdentifier>, isPublic: Bool
  ) -> [ModelRuleError] {
    switch property {
    case is NSDerivedAttributeDescription: []
    case let attribute as NSAttributeDescription:
      AttributeRules(attribute, entity, isPublic: isPublic).problems
    case let relationship as NSRelationshipDescription:
      RelationshipRules(relationship, entity, members).problems
    default: []
    }
  }
}

extension CloudName {
  /// Returns why mirroring cannot use a name, or nil; dots are reserved for the system.
  package func issue(inName name: String) -> String? {
    if let issue = defect(in: name) { return issue }
    return name.utf8.contains(UInt8(ascii: ".")) ? "has a dot" : nil
  }
}
