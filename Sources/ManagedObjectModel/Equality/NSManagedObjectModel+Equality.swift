extension NSManagedObjectModel {
  /// Whether two models are equal.
  func isEqualDescription(to other: NSManagedObjectModel) -> Bool {
    guard entities.count == other.entities.count, entitiesByName == other.entitiesByName else {
      return false
    }
    return versionIdentifiers == other.versionIdentifiers
      && localizationDictionary == other.localizationDictionary
      && configurationMembers == other.configurationMembers && hasSameTemplates(as: other)
  }

  private var configurationMembers: [String: Set<String?>] {
    Dictionary(
      namedConfigurations.map { ($0.name, Set($0.entities.map(\.name))) },
      uniquingKeysWith: { first, _ in first })
  }

  private func hasSameTemplates(as other: NSManagedObjectModel) -> Bool {
    namedTemplates.count == other.namedTemplates.count
      && namedTemplates.allSatisfy { name, template in
        other.fetchRequestTemplate(forName: name)?.specification.isEquivalent(
          to: template.specification) ?? false
      }
  }
}
