import ManagedObjectModel

extension MirrorSchema {
  /// Stable names of everything that the model can read from records.
  ///
  /// A name changes when its part is read in another way.
  package var readableParts: Set<String> {
    var parts = Set(joins.map(\.name))
    for entity in entities where !entity.isAbstract {
      parts.insert(entity.name)
      if let type = entity.recordTypeAlias { parts.insert("\(entity.name) of \(type)") }
      parts.formUnion(entity.attributes.map { "\(entity.name).\($0.key) \($0.type.rawValue)" })
      parts.formUnion(entity.references.map { "\(entity.name).\($0.property)" })
      parts.formUnion(entity.orders.map { "\(entity.name).\($0.property)" })
    }
    return parts
  }
}

extension JoinRelationship {
  /// The names of both sides.
  fileprivate var name: String {
    "\(firstEntity).\(firstRelationship) \(secondEntity).\(secondRelationship)"
  }
}
