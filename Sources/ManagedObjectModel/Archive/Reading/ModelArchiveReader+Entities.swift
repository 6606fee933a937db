import Foundation
import PredicateLanguage

/// Entities.
///
/// | key of `NSEntityDescription` | meaning |
/// |---|---|
/// | `NSEntityName` | name |
/// | `NSClassNameForEntity` | class; missing means `NSManagedObject` |
/// | `NSIsAbstract` | |
/// | `NSSuperentity`, `NSSubentities` | the hierarchy; only `NSSuperentity` is read |
/// | `NSProperties` | own properties by name; in a model cache, also inherited ones |
/// | `NSRenamingIdentifier`, `NSVersionHashModifier`, `NSUserInfo` | |
/// | `NSFetchIndexDescriptions`, `NSCompoundIndexes`, `NSUniqueTuples` | see `readIndexes(of:)` |
/// | `ParhelionCoreSpotlightDisplayNameExpression` | our own: Apple's key is not known |
extension ModelArchiveReader {
  mutating func makeEntities() throws(ModelArchiveError) {
    let archived = try root.entries("NSEntities").sorted { $0.key < $1.key }
    guard archived.count <= Limits.archivedEntities else {
      throw root.error(
        .limit, "The model has more than \(Limits.archivedEntities) entities.", key: "NSEntities")
    }
    for (key, value) in archived {
      guard let object = value.object(of: "NSEntityDescription") else {
        throw root.error(
          .unknownClass, "An entity is expected, not \(value.kind).", key: "NSEntities.\(key)")
      }
      let name = try name("NSEntityName", of: object)
      guard name == key, entities[object.index] == nil else {
        throw object.error(
          .contradiction, "The entity has another key than its name, or occurs twice.",
          key: "NSEntityName")
      }
      let entity = NSEntityDescription()
      entity.name = name
      try readDescription(of: entity, object)
      entities[object.index] = entity
      entitiesByName[name] = entity
      entries.append(Entry(object: object, entity: entity, name: name))
    }
  }

  private func readDescription(of entity: NSEntityDescription, _ object: ArchivedObject)
    throws(ModelArchiveError)
  {
    entity.managedObjectClassName = try object.string("NSClassNameForEntity") ?? "NSManagedObject"
    entity.isAbstract = try object.flag("NSIsAbstract")
    entity.userInfo = try userInfo(of: object)
    entity.versionHashModifier = try object.string("NSVersionHashModifier")
    let identifier = try object.string("NSRenamingIdentifier")
    entity.storedRenamingIdentifier = identifier == entity.name ? nil : identifier
    entity.coreSpotlightDisplayNameExpression = try ExpressionArchiveReader.read(
      "ParhelionCoreSpotlightDisplayNameExpression", of: object)
  }

  func connectSuperentities() throws(ModelArchiveError) {
    var subentities: [ObjectIdentifier: [NSEntityDescription]] = [:]
    for entry in entries {
      guard let parent = try entity("NSSuperentity", of: entry.object) else { continue }
      subentities[ObjectIdentifier(parent), default: []].append(entry.entity)
    }
    for entry in entries {
      guard let children = subentities[ObjectIdentifier(entry.entity)] else { continue }
      entry.entity.subentities = children
    }
  }

  /// The entries, with every superentity before its subentities.
  func superentitiesFirst() throws(ModelArchiveError) -> [Entry] {
    var ordered: [(entry: Entry, depth: Int)] = []
    for entry in entries {
      var depth = 0
      var next = entry.entity.superentity
      while let parent = next {
        depth += 1
        guard depth <= Limits.inheritanceDepth else {
          throw entry.object.error(
            .limit,
            "The entity inherits from itself, or from more than \(Limits.inheritanceDepth) others.",
            key: "NSSuperentity")
        }
        next = parent.superentity
      }
      ordered.append((entry, depth))
    }
    return ordered.sorted { ($0.depth, $0.entry.name) < ($1.depth, $1.entry.name) }.map(\.entry)
  }
}
