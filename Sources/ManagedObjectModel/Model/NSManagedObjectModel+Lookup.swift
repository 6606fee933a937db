extension NSManagedObjectModel {
  /// The entities, by name.
  ///
  /// Entities without a name are omitted.
  public var entitiesByName: [String: NSEntityDescription] {
    Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the entities of a configuration, or nil if there is no such configuration.
  ///
  /// For nil it returns every entity.
  public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    guard let configuration else { return entities }
    return entitiesByConfiguration[configuration]
  }

  /// Sets the entities of a configuration, and creates the configuration if necessary.
  public func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    requireEditable()
    for entity in entities {
      precondition(
        entity.model === self,
        "The entity \(entity.name ?? "without a name") cannot be in the configuration \(configuration): it is not an entity of this model. Set the model's entities first."
      )
    }
    if entitiesByConfiguration.updateValue(entities, forKey: configuration) == nil {
      configurations.append(configuration)
    }
  }
}
