import CloudRecords
import ManagedObjectModel

/// Checks an attribute against the requirements of CloudKit integration.
struct AttributeRules {
  private let attribute: NSAttributeDescription
  private let entity: NSEntityDescription
  private let isPublic: Bool

  init(_ attribute: NSAttributeDescription, _ entity: NSEntityDescription, isPublic: Bool) {
    self.attribute = attribute
    self.entity = entity
    self.isPublic = isPublic
  }

  /// The broken rules of each value that the attribute consists of.
  package var problems: [ModelRuleError] {
    MirrorAttribute.all(of: attribute, NamesInCloud([attribute])).flatMap {
      [type($0), name($0), encryption($0)].compactMap(\.self)
    }
  }

  private func type(_ leaf: MirrorAttribute) -> ModelRuleError? {
    let kind: String
    switch leaf.type {
    case .undefinedAttributeType: kind = "Undefined"
    case .objectIDAttributeType: kind = "ObjectID"
    case .compositeAttributeType: kind = "Composite without elements"
    default: return nil
    }
    return error(
      .unsupportedType, leaf,
      "that all attributes have a type that records can hold: the type of {} is \(kind).",
      "Give it another type, or make it transient.")
  }

  private func name(_ leaf: MirrorAttribute) -> ModelRuleError? {
    guard let issue = CloudName.fieldName.issue(inName: leaf.assetField ?? leaf.field) else {
      return nil
    }
    return error(
      .unusableName, leaf,
      "that the names of attributes can be those of fields: \(leaf.assetField ?? leaf.field), "
        + "for {}, \(issue).",
      "Rename the attribute.")
  }

  private func encryption(_ leaf: MirrorAttribute) -> ModelRuleError? {
    guard isPublic, leaf.isEncrypted else { return nil }
    return error(
      .encryptedInPublic, leaf,
      "that nothing in a public database is encrypted, since all may read it: {} allows "
        + "encryption.",
      "Mirror the entity to a private database, or do not allow encryption for the attribute.")
  }

  private func error(
    _ rule: ModelRuleError.Rule, _ leaf: MirrorAttribute, _ requirement: String, _ remedy: String
  ) -> ModelRuleError {
    let place = "\(entity.name ?? "").\(leaf.key)"
    return ModelRuleError(
      rule: rule, entity: entity.name, property: leaf.key,
      message: "CloudKit integration requires " + requirement.replacing("{}", with: place),
      remedy: remedy)
  }
}
