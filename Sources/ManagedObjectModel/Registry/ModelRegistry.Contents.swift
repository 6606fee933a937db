extension ModelRegistry {
  /// The contents of the registry, sorted for look-ups.
  struct Contents {
    private(set) var registrations: [ModelRegistration] = []
    /// Classes by the Objective-C name in their source, by module.
    private(set) var objectiveCClasses: [String: [String: AnyClass]] = [:]
    private var entitiesByClass: [ObjectIdentifier: (name: String, model: ModelRegistration)] = [:]

    mutating func add(_ added: ModelRegistration) {
      let position =
        registrations.firstIndex { !isOrdered($0, before: added) } ?? registrations.endIndex
      if position < registrations.endIndex, !isOrdered(added, before: registrations[position]) {
        return
      }
      registrations.insert(added, at: position)
      for (name, represented): (String, AnyClass) in added.classesByEntityName {
        recordEntity(named: name, of: added, representedBy: ObjectIdentifier(represented))
      }
    }

    mutating func addObjectiveCNames(_ classes: [String: AnyClass], ofModule module: String) {
      objectiveCClasses[module, default: [:]].merge(classes) { first, _ in first }
    }

    func entity(of managedObjectClass: AnyClass) -> (name: String, model: ModelRegistration)? {
      entitiesByClass[ObjectIdentifier(managedObjectClass)]
    }

    /// Records a class's entity.
    ///
    /// If several entities share a class, the first by model, module and entity name is used.
    private mutating func recordEntity(
      named name: String, of model: ModelRegistration, representedBy key: ObjectIdentifier
    ) {
      if let known = entitiesByClass[key],
        !isOrdered(model, before: known.model),
        isOrdered(known.model, before: model) || known.name <= name
      {
        return
      }
      entitiesByClass[key] = (name, model)
    }

    private func isOrdered(_ left: ModelRegistration, before right: ModelRegistration) -> Bool {
      (left.name, left.module) < (right.name, right.module)
    }
  }
}
