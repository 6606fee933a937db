import Foundation
import PropertyLists

/// Writes a mapping model in the form that `MappingArchiveReader` describes.
struct MappingArchiver {
  private var builder = KeyedArchiveBuilder()

  static func write(_ mapping: NSMappingModel) throws(ModelArchiveError) -> [UInt8] {
    var archiver = MappingArchiver()
    return try archiver.write(mapping)
  }

  private mutating func write(_ model: NSMappingModel) throws(ModelArchiveError) -> [UInt8] {
    let root = builder.reserve()
    var references: [(key: String, value: PropertyList)] = []
    for mapping in model.entityMappings ?? [] {
      guard let name = mapping.name else {
        throw ModelArchiveError(.notArchivable, "An entity mapping has no name.")
      }
      references.append((name, try add(mapping, at: ArchivePath(name))))
    }
    let names = Set(references.map(\.key))
    guard names.count == references.count else {
      throw ModelArchiveError(.notArchivable, "Two entity mappings have one name.")
    }
    builder.fill(
      root, "NSMappingModel",
      [
        "NSEntityMappings": builder.array(references.map(\.value)),
        "NSEntityMappingsByName": builder.dictionary(references, className: "NSDictionary"),
      ])
    return try builder.finish(root: root)
  }

  private mutating func add(_ mapping: NSEntityMapping, at path: ArchivePath)
    throws(ModelArchiveError) -> PropertyList
  {
    let attributes = try addAll(mapping.attributeMappings, at: path)
    let relationships = try addAll(mapping.relationshipMappings, at: path)
    return builder.add(
      "NSEntityMapping",
      [
        "NSMappingName": builder.string(mapping.name),
        "NSMappingType": .integer(Int128(mapping.mappingType.rawValue)),
        "NSSourceEntityName": builder.string(mapping.sourceEntityName),
        "NSSourceEntityVersionHash": data(mapping.sourceEntityVersionHash),
        "NSDestinationEntityName": builder.string(mapping.destinationEntityName),
        "NSDestinationEntityVersionHash": data(mapping.destinationEntityVersionHash),
        "NSSourceExpression": try ExpressionArchiver.add(
          mapping.sourceExpression, to: &builder, at: path),
        "NSEntityMigrationPolicyClassName": builder.string(mapping.entityMigrationPolicyClassName),
        "NSAttributeMappings": attributes, "NSRelationshipMappings": relationships,
        "NSUserInfo": try addUserInfo(mapping.userInfo, at: path),
      ])
  }

  private mutating func addAll(_ mappings: [NSPropertyMapping]?, at path: ArchivePath)
    throws(ModelArchiveError) -> PropertyList
  {
    var references: [PropertyList] = []
    for mapping in mappings ?? [] {
      let place = ArchivePath(mapping.name ?? "", in: path)
      let value = try ExpressionArchiver.add(mapping.valueExpression, to: &builder, at: place)
      references.append(
        builder.add(
          "NSPropertyMapping",
          [
            "NSDestinationPropertyName": builder.string(mapping.name), "NSValueExpression": value,
            "NSUserInfo": try addUserInfo(mapping.userInfo, at: place),
          ]))
    }
    return builder.array(references)
  }

  private mutating func data(_ data: Data?) -> PropertyList {
    builder.scalar(data.map { .data([UInt8]($0)) })
  }

  private mutating func addUserInfo(_ info: [AnyHashable: Any]?, at path: ArchivePath)
    throws(ModelArchiveError) -> PropertyList
  {
    guard let info else { return KeyedArchiveBuilder.null }
    var entries: [String: Any] = [:]
    for (key, value) in info {
      guard let name = key as? String else {
        throw ModelArchiveError(.notArchivable, "A key of the user info is not a string.", at: path)
      }
      entries[name] = value
    }
    return try ValueArchiver.addDictionary(entries, to: &builder, at: path)
  }
}
