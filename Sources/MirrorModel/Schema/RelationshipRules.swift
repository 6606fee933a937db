import CloudRecords
import ManagedObjectModel

/// Checks a relationship against the requirements of CloudKit integration.
struct RelationshipRules {
  private let relationship: NSRelationshipDescription
  private let entity: NSEntityDescription
  /// The entities of the configuration.
  private let members: Set<ObjectIdentifier>

  init(
    _ relationship: NSRelationshipDescription, _ entity: NSEntityDescription,
    _ members: Set<ObjectIdentifier>
  ) {
    self.relationship = relationship
    self.entity = entity
    self.members = members
  }

  package var problems: [ModelRuleError] {
    [inverse, optionality, configuration, name].compactMap(\.self)
  }

  private var place: String { "\(entity.name ?? "").\(relationship.name)" }

  private var inverse: ModelRuleError? {
    guard relationship.inverseRelationship == nil else { return nil }
    return error(
      .missingInverse, "that all relationships have an inverse: \(place) has none.",
      "Give \(relationship.destinationEntity?.name ?? "the destination") a relationship back to \(entity.name ?? "")."
    )
  }

  private var optionality: ModelRuleError? {
    guard !relationship.isOptional else { return nil }
    return error(
      .requiredRelationship,
      "that all relationships are optional, since related objects may arrive later: \(place) "
        + "is not.",
      "Make the relationship optional.")
  }

  private var configuration: ModelRuleError? {
    guard let destination = relationship.destinationEntity,
      !members.contains(ObjectIdentifier(destination))
    else { return nil }
    return error(
      .crossesConfigurations,
      "that related entities are in one configuration: \(place) leads to \(destination.name ?? ""), which is in another.",
      "Put both into one configuration, or keep the identifier of the other object in an attribute."
    )
  }

  private var name: ModelRuleError? {
    let field =
      relationship.isOrdered && relationship.isToMany
      ? MirrorNames.asset(MirrorNames.order(relationship.name))
      : MirrorNames.field(relationship.name)
    guard let issue = CloudName.fieldName.issue(inName: field) else { return nil }
    return error(
      .unusableName,
      "that the names of relationships can be those of fields: \(field), for \(place), \(issue).",
      "Rename the relationship.")
  }

  private func error(_ rule: ModelRuleError.Rule, _ requirement: String, _ remedy: String)
    -> ModelRuleError
  {
    ModelRuleError(
      rule: rule, entity: entity.name, property: relationship.name,
      message: "CloudKit integration requires \(requirement)", remedy: remedy)
  }
}
