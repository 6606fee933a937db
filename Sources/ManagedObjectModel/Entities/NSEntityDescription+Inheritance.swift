extension NSEntityDescription {
  /// The model that the entity belongs to.
  ///
  /// - Warning: An entity does not keep its model alive. Asking an entity for its model after the
  ///   model is gone, or before it belongs to one, stops the program.
  public var managedObjectModel: NSManagedObjectModel {
    guard let model else {
      preconditionFailure(
        "The entity \(name ?? "without a name") belongs to no managed object model. Keep the model for as long as you use its entities."
      )
    }
    return model
  }

  /// The subentities by their names.
  ///
  /// Entities without a name are left out.
  public var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(
      subentities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether the entity is the given one or inherits from it.
  public func isKindOf(entity: NSEntityDescription) -> Bool {
    lineage.contains { $0 === entity }
  }

  /// The entity, its superentity, and so on to the root.
  ///
  /// A cycle of parents, which only a faulty model has, ends it.
  package var lineage: [NSEntityDescription] {
    var line: [NSEntityDescription] = []
    var next: NSEntityDescription? = self
    while let entity = next, !line.contains(where: { $0 === entity }) {
      line.append(entity)
      next = entity.superentity
    }
    return line
  }
}
