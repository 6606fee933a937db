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
    entitiesByConfiguration.mapValues { Set($0.map(\.name)) }
  }

  private func hasSameTemplates(as other: NSManagedObjectModel) -> Bool {
    fetchRequestTemplatesByName.count == other.fetchRequestTemplatesByName.count
      && fetchRequestTemplatesByName.allSatisfy { name, template in
        other.fetchRequestTemplate(forName: name)?.specification.isEquivalent(
          to: template.specification) ?? false
      }
  }
}
