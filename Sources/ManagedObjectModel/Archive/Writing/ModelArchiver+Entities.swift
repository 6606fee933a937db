import Foundation
import PredicateLanguage
import PropertyLists

extension ModelArchiver {
  mutating func add(_ entity: NSEntityDescription, at path: ArchivePath) throws(ModelArchiveError) {
    var fields: [String: PropertyList] = [
      "NSEntityName": builder.string(entity.name),
      "NSClassNameForEntity": builder.string(entity.managedObjectClassName),
      "NSRenamingIdentifier": builder.string(entity.renamingIdentifier),
      "NSVersionHashModifier": builder.string(entity.versionHashModifier),
      "NSManagedObjectModel": root,
      "NSSuperentity": try reference(to: entity.superentity, at: path),
      "NSSubentities": try addSubentities(of: entity, at: path),
      "NSProperties": try addProperties(of: entity, at: path),
      "NSUserInfo": try addUserInfo(entity.userInfo, at: path),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if let expression = entity.coreSpotlightDisplayNameExpression {
      fields["ParhelionCoreSpotlightDisplayNameExpression"] = try ExpressionArchiver.add(
        expression, to: &builder, at: path)
    }
    try addIndexes(of: entity, to: &fields, at: path)
    guard let reference = entityReferences[ObjectIdentifier(entity)] else { return }
    builder.fill(reference, "NSEntityDescription", fields)
  }

  private mutating func addSubentities(
    of entity: NSEntityDescription, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    var references: [(key: String, value: PropertyList)] = []
    for child in entity.subentities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
      references.append((child.name ?? "", try reference(to: child, at: path)))
    }
    return builder.dictionary(references)
  }

  private mutating func addProperties(
    of entity: NSEntityDescription, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    var references: [(key: String, value: PropertyList)] = []
    for property in archivedProperties(of: entity) {
      let reference = propertyReferences[Place(property, in: entity)] ?? KeyedArchiveBuilder.null
      let place = ArchivePath(property.name, in: path)
      guard references.last?.key != property.name else {
        throw ModelArchiveError(
          .notArchivable, "The entity has two properties with this name.", at: place)
      }
      references.append((property.name, reference))
      let (className, fields) = try parts(of: property, in: entity, at: place)
      builder.fill(reference, className, fields)
    }
    return builder.dictionary(references)
  }

  private mutating func addIndexes(
    of entity: NSEntityDescription, to fields: inout [String: PropertyList], at path: ArchivePath
  ) throws(ModelArchiveError) {
    if !entity.uniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = addTuples(entity.uniquenessConstraintNames)
    }
    // Apple's compiler writes the old form in addition to fetch indexes, even as an empty array.
    if !entity.storedCompoundIndexes.isEmpty || !entity.indexes.isEmpty {
      fields["NSCompoundIndexes"] = addTuples(entity.compoundIndexNames)
    }
    guard !entity.indexes.isEmpty else { return }
    var references: [PropertyList] = []
    for index in entity.indexes {
      references.append(try add(index, of: entity, at: ArchivePath(index.name, in: path)))
    }
    fields["NSFetchIndexDescriptions"] = builder.array(references, className: "NSMutableArray")
  }

  private mutating func addTuples(_ tuples: [[String]]) -> PropertyList {
    let references = tuples.map { names in
      builder.array(names.map { builder.string($0) }, className: "NSMutableArray")
    }
    return builder.array(references, className: "NSMutableArray")
  }

  private mutating func add(
    _ index: NSFetchIndexDescription, of entity: NSEntityDescription, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    let reference = builder.reserve()
    var elements: [PropertyList] = []
    for element in index.elements {
      var fields: [String: PropertyList] = [
        "NSPropertyName": builder.string(element.propertyName),
        "NSFetchIndexElementType": .integer(Int128(element.collationType.rawValue)),
        "NSAscending": .boolean(element.isAscending), "NSFetchIndexDescription": reference,
      ]
      if let expression = element.property as? NSExpressionDescription {
        fields["ParhelionExpression"] = try add(expression, at: path)
      }
      elements.append(builder.add("NSFetchIndexElementDescription", fields))
    }
    let fields: [String: PropertyList] = [
      "NSIndexName": builder.string(index.name), "NSIndexElements": builder.array(elements),
      "NSPartialIndexPredicate": try PredicateArchiver.add(
        index.partialIndexPredicate, to: &builder, at: path),
      "NSEntity": try self.reference(to: entity, at: path),
    ]
    builder.fill(reference, "NSFetchIndexDescription", fields)
    return reference
  }
}
