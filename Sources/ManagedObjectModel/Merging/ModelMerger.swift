/// Merges the entities of several models into a new one.
///
/// Each model is copied. If entities with one name are equal in several models, the first is kept,
/// and references to the others are redirected to it.
struct ModelMerger {
  /// The merged model so far.
  let merged = NSManagedObjectModel()

  /// Adds a model, or a selection of its entities.
  func add(
    _ model: NSManagedObjectModel, where isWanted: (NSEntityDescription) -> Bool = { _ in true }
  ) throws {
    var copier = EntityCopier()
    let known = merged.entitiesByName
    var fresh: [NSEntityDescription] = []
    for entity in model.entities {
      if let existing = entity.name.flatMap({ known[$0] }) {
        if isWanted(entity), existing != entity {
          throw differentEntities(named: entity.name ?? "")
        }
        copier.substitute(entity, by: existing)
      } else if isWanted(entity) {
        fresh.append(entity)
      }
    }
    merged.entities += copier.copies(of: fresh)
    try addExtras(of: model, copiedBy: copier)
  }

  private func addExtras(of model: NSManagedObjectModel, copiedBy copier: EntityCopier) throws {
    for name in model.configurations {
      let members = model.entities(forConfigurationName: name) ?? []
      let present = members.map(copier.copy(of:)).filter { $0.model === merged }
      let former = merged.entities(forConfigurationName: name) ?? []
      let added = present.filter { member in !former.contains { $0 === member } }
      merged.setEntities(former + added, forConfigurationName: name)
    }
    for (name, template) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
      try add(copier.copy(of: template), named: name)
    }
    merged.versionIdentifiers.formUnion(model.versionIdentifiers)
    if let localization = model.localizationDictionary {
      merged.localizationDictionary = (merged.localizationDictionary ?? [:]).merging(localization) {
        first, _ in first
      }
    }
  }

  private func add(_ template: NSFetchRequest<any NSFetchRequestResult>, named name: String) throws
  {
    guard let former = merged.fetchRequestTemplate(forName: name) else {
      return merged.setFetchRequestTemplate(template, forName: name)
    }
    guard former.specification.isEquivalent(to: template.specification) else {
      throw ManagedObjectModelError(
        code: .templatesDiffer,
        message:
          "The models to merge have two different fetch request templates named \(name). Rename one of them.",
        context: ["template": name])
    }
  }

  private func differentEntities(named name: String) -> ManagedObjectModelError {
    ManagedObjectModelError(
      code: .entitiesDiffer,
      message:
        "The models to merge have two different entities named \(name). Merge one version of a model only, or rename one of the entities.",
      context: ["entity": name])
  }
}
