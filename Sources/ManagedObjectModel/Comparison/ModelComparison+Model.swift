extension ModelComparison {
  /// Compares the values of the whole models.
  ///
  /// None of them affects a version hash.
  mutating func compareModels() {
    compareConfigurations()
    compareTemplates()
    let identifiers = { (model: NSManagedObjectModel) in
      model.versionIdentifiers.map { "\"\($0)\"" }.sorted()
    }
    compare(.versionIdentifiers, nil, identifiers(source), identifiers(destination), in: Self.list)
  }

  private mutating func compareConfigurations() {
    let names = Set(source.configurations).union(destination.configurations)
    for name in names.sorted() {
      let members = { (model: NSManagedObjectModel) in
        model.entities(forConfigurationName: name)?.map(\.nameOrEmpty).sorted()
      }
      switch (members(source), members(destination)) {
      case (nil, let after?): record(.configurationAdded, to: "\(name): \(Self.list(after))")
      case (let before?, nil): record(.configurationRemoved, from: "\(name): \(Self.list(before))")
      case (let before, let after):
        compare(.configuration, nil, before ?? [], after ?? []) { "\(name): \(Self.list($0))" }
      }
    }
  }

  private mutating func compareTemplates() {
    let before = source.fetchRequestTemplatesByName
    let after = destination.fetchRequestTemplatesByName
    for name in Set(before.keys).union(after.keys).sorted() {
      switch (before[name], after[name]) {
      case (nil, _): record(.templateAdded, to: name)
      case (_, nil): record(.templateRemoved, from: name)
      case (let old?, let new?):
        if !old.specification.isEquivalent(to: new.specification) {
          record(.template, from: name, to: name)
        }
      }
    }
  }
}
