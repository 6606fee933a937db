extension NSEntityDescription {
  /// The model that contains the entity.
  ///
  /// - Warning: An entity does not keep its model alive. To read this property after the model is
  ///   deallocated, or before the entity belongs to a model, stops the program.
  public var managedObjectModel: NSManagedObjectModel {
    guard let model else {
      preconditionFailure(
        "The entity \(name ?? "without a name") belongs to no managed object model. Keep the model for as long as you use its entities."
      )
    }
    return model
  }

  /// The subentities, by name.
  ///
  /// Entities without a name are omitted.
  public var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(
      subentities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns whether the entity is the given one or inherits from it.
  public func isKindOf(entity: NSEntityDescription) -> Bool {
    lineage.contains { $0 === entity }
  }

  /// The entity, its superentity, and so on to the root.
  ///
  /// It ends at a cycle, which only an invalid model has.
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
