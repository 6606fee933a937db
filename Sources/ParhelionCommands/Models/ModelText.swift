import ManagedObjectModel
import PredicateLanguage

/// A model as readable text.
struct ModelText {
  let version: ModelFile.Version
  let isCurrent: Bool

  init(_ version: ModelFile.Version, isCurrent: Bool) {
    self.version = version
    self.isCurrent = isCurrent
  }

  var text: String {
    let model = version.model
    var lines = ["\(version.name)\(isCurrent ? " (current)" : "")"]
    let identifiers = model.versionIdentifiers.map { "\"\($0)\"" }.sorted().joined(separator: ", ")
    if !identifiers.isEmpty { lines.append("version identifiers: \(identifiers)") }
    for entity in model.sortedEntities { lines += [""] + describe(entity) }
    lines += section("fetch requests", templates)
    lines += section("configurations", configurations)
    return lines.joined(separator: "\n") + "\n"
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", title] + lines.map { "  " + $0 }
  }

  // MARK: Entities

  private func describe(_ entity: NSEntityDescription) -> [String] {
    var facts: [String] = []
    if let parent = entity.superentity?.name { facts.append("inherits from \(parent)") }
    if entity.isAbstract { facts.append("abstract") }
    if let name = entity.managedObjectClassName, name != "NSManagedObject" {
      facts.append("class \(name)")
    }
    if let old = entity.renamingIdentifier, old != entity.name { facts.append("formerly \(old)") }
    if let modifier = entity.versionHashModifier {
      facts.append("version hash modifier \"\(modifier)\"")
    }
    let title = entity.name ?? ""
    var lines = [facts.isEmpty ? title : "\(title): \(facts.joined(separator: ", "))"]
    lines += TextColumns.lines(
      EntityBox.sortedProperties(of: entity).map(PropertyText.row(of:)), indent: 2)
    for names in entity.uniquenessConstraintNames {
      lines.append("  unique (\(names.joined(separator: ", ")))")
    }
    for index in entity.indexes { lines.append("  index \(index.summary)") }
    for names in entity.compoundIndexNames {
      lines.append("  index (\(names.joined(separator: ", ")))")
    }
    return lines
  }

  // MARK: The model as a whole

  private var templates: [String] {
    version.model.fetchRequestTemplatesByName.sorted {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    .map { name, template in
      let condition = template.predicate.map { " where \($0.formatText)" } ?? ""
      return "\(name): \(template.entityName ?? "?")\(condition)"
    }
  }

  private var configurations: [String] {
    version.model.configurations.sorted().map { name in
      let members = version.model.entities(forConfigurationName: name) ?? []
      return "\(name): \(members.compactMap(\.name).joined(separator: ", "))"
    }
  }
}
