/// Finds properties that would share a field of a record type.
///
/// Sibling entities may share a field of the same type: no record belongs to both.
enum FieldClashes {
  package static func problems(of entities: [MirrorEntity]) -> [ModelRuleError] {
    let types = Dictionary(grouping: entities, by: \.recordType).sorted { $0.key < $1.key }
    return types.flatMap { problems(ofOneType: $0.value) }
  }

  /// Reports each field once, even if several entities inherit it.
  private static func problems(ofOneType entities: [MirrorEntity]) -> [ModelRuleError] {
    var found: [String: ModelRuleError] = [:]
    var holders: [String: (field: MirrorField, entity: MirrorEntity)] = [:]
    for entity in entities.sorted(by: { $0.lineage.count < $1.lineage.count }) {
      var own: [String: MirrorField] = [:]
      for field in entity.fields where found[field.name] == nil {
        if let other = own.updateValue(field, forKey: field.name) {
          found[field.name] = error(field, of: entity, other, of: entity)
        } else if let (other, holder) = holders[field.name] {
          guard field.type != other.type || field.isEncrypted != other.isEncrypted else { continue }
          found[field.name] = error(field, of: entity, other, of: holder)
        } else if entity.ignoredFields.contains(field.name),
          field.name.hasPrefix(MirrorNames.moveReceipt)
        {
          found[field.name] = reservedError(field, of: entity)
        } else {
          holders[field.name] = (field, entity)
        }
      }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func error(
    _ field: MirrorField, of entity: MirrorEntity, _ other: MirrorField, of holder: MirrorEntity
  ) -> ModelRuleError {
    let (clashing, first) = field.property == nil ? (other, field) : (field, other)
    let place = first.property.map { "\(holder.name).\($0)" } ?? "the names of entities"
    return ModelRuleError(
      rule: .clashingFields, entity: entity.name, property: clashing.property,
      message:
        "CloudKit integration requires that every field of a record type holds values of one property and type: \(field.name) of \(entity.recordType) would be \(clashing.typeText) for \(entity.name).\(clashing.property ?? ""), and \(first.typeText) for \(place).",
      remedy: "Rename one of the properties, or give both the same type in a common superentity.")
  }

  private static func reservedError(_ field: MirrorField, of entity: MirrorEntity) -> ModelRuleError
  {
    ModelRuleError(
      rule: .clashingFields, entity: entity.name, property: field.property,
      message:
        "CloudKit integration requires that no attribute has the reserved field \(field.name), in which Apple's container tracks moved objects: \(entity.name).\(field.property ?? "") would have it.",
      remedy: "Rename the attribute.")
  }
}
