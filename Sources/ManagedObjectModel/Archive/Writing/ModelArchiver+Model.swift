import Foundation
import PropertyLists

extension ModelArchiver {
  mutating func addModel() throws(ModelArchiveError) {
    var fields: [String: PropertyList] = [
      "NSEntities": addEntityTable(),
      "NSFetchRequestTemplates": try addTemplates(),
      "NSVersionIdentifiers": try addIdentifiers(),
    ]
    if !model.configurations.isEmpty { fields["NSConfigurations"] = try addConfigurations() }
    if let texts = model.localizationDictionary {
      fields["ParhelionLocalizationDictionary"] = try ValueArchiver.addDictionary(
        texts, to: &builder, at: ArchivePath("localizationDictionary"))
    }
    builder.fill(root, "NSManagedObjectModel", fields)
  }

  private mutating func addEntityTable() -> PropertyList {
    let references = entities.map {
      entityReferences[ObjectIdentifier($0.entity)] ?? KeyedArchiveBuilder.null
    }
    guard form == .cache else {
      return builder.dictionary(zip(entities, references).map { ($0.name, $1) })
    }
    let names = entities.map { builder.string($0.name) }
    let count = PropertyList.integer(Int128(names.count))
    let mapping = builder.add(
      "NSKnownKeysMappingStrategy1",
      ["keys": builder.array(names), "length": count, "version": .integer(1)])
    let values = builder.array(references)
    return builder.add(
      "NSKnownKeysDictionary1",
      [
        "searchMapping": mapping, "values": values, "version": .integer(1),
        // Marks a known key without a value; every entity has one.
        "emptyToken": builder.string("__empty_slot_token_4c24_98dc_ac1e_b773__"),
      ])
  }

  private mutating func addTemplates() throws(ModelArchiveError) -> PropertyList {
    guard !model.fetchRequestTemplatesByName.isEmpty else { return KeyedArchiveBuilder.null }
    var references: [(key: String, value: PropertyList)] = []
    for (name, template) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
      references.append((name, try add(template, at: ArchivePath("fetchRequestTemplates.\(name)"))))
    }
    return builder.dictionary(references)
  }

  private mutating func addConfigurations() throws(ModelArchiveError) -> PropertyList {
    var references: [(key: String, value: PropertyList)] = []
    for (name, members) in model.entitiesByConfiguration.sorted(by: { $0.key < $1.key }) {
      var elements: [PropertyList] = []
      for entity in members.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
        elements.append(try reference(to: entity, at: ArchivePath("configurations.\(name)")))
      }
      references.append((name, builder.array(elements, className: "NSSet")))
    }
    return builder.dictionary(references)
  }

  private mutating func addIdentifiers() throws(ModelArchiveError) -> PropertyList {
    let path = ArchivePath("versionIdentifiers")
    var references: [PropertyList] = []
    for identifier in model.versionIdentifiers.map(\.base).sorted(by: { "\($0)" < "\($1)" }) {
      references.append(try ValueArchiver.add(identifier, to: &builder, at: path))
    }
    return builder.array(references, className: "NSSet")
  }
}
