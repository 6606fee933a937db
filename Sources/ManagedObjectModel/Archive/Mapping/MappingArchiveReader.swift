import Foundation
import PropertyLists

/// Builds a mapping model from the archive of an `NSMappingModel`.
///
/// | class | keys |
/// |---|---|
/// | `NSMappingModel` | `NSEntityMappings`; `NSEntityMappingsByName`, which is not read |
/// | `NSEntityMapping` | `NSMappingName`, `NSMappingType`, `NSUserInfo`, `NSSourceExpression` |
/// | its source | `NSSourceEntityName`, `NSSourceEntityVersionHash` |
/// | its destination | `NSDestinationEntityName`, `NSDestinationEntityVersionHash` |
/// | its policy | `NSEntityMigrationPolicyClassName` |
/// | its properties | `NSAttributeMappings`, `NSRelationshipMappings` |
/// | `NSPropertyMapping` | `NSDestinationPropertyName`, `NSValueExpression`, `NSUserInfo` |
enum MappingArchiveReader {
  static func read(_ bytes: [UInt8]) throws(ModelArchiveError) -> NSMappingModel {
    let root = try KeyedArchive(bytes).root()
    guard root.isKind(of: "NSMappingModel") else {
      throw root.error(
        .notAModel,
        "The archive contains an object of the class \(root.className), not an NSMappingModel.")
    }
    var mappings: [NSEntityMapping] = []
    for object in try objects("NSEntityMappings", "NSEntityMapping", of: root) {
      mappings.append(try entityMapping(object))
    }
    return NSMappingModel(entityMappings: mappings)
  }

  private static func entityMapping(_ object: ArchivedObject) throws(ModelArchiveError)
    -> NSEntityMapping
  {
    let mapping = NSEntityMapping()
    mapping.name = try object.requiredString("NSMappingName")
    let number = try object.integer("NSMappingType", in: 0...5)
    mapping.mappingType =
      NSEntityMappingType(rawValue: UInt(number)) ?? .undefinedEntityMappingType
    mapping.sourceEntityName = try object.string("NSSourceEntityName")
    mapping.sourceEntityVersionHash = try object.data("NSSourceEntityVersionHash").map { Data($0) }
    mapping.destinationEntityName = try object.string("NSDestinationEntityName")
    mapping.destinationEntityVersionHash = try object.data("NSDestinationEntityVersionHash")
      .map { Data($0) }
    mapping.sourceExpression = try ExpressionArchiveReader.read("NSSourceExpression", of: object)
    mapping.entityMigrationPolicyClassName = try object.string("NSEntityMigrationPolicyClassName")
    mapping.attributeMappings = try propertyMappings("NSAttributeMappings", of: object)
    mapping.relationshipMappings = try propertyMappings("NSRelationshipMappings", of: object)
    mapping.userInfo = try userInfo(of: object)
    return mapping
  }

  private static func propertyMappings(
    _ key: String, of object: ArchivedObject
  ) throws(ModelArchiveError) -> [NSPropertyMapping] {
    var mappings: [NSPropertyMapping] = []
    for object in try objects(key, "NSPropertyMapping", of: object) {
      let mapping = NSPropertyMapping()
      mapping.name = try object.requiredString("NSDestinationPropertyName")
      mapping.valueExpression = try ExpressionArchiveReader.read("NSValueExpression", of: object)
      mapping.userInfo = try userInfo(of: object)
      mappings.append(mapping)
    }
    return mappings
  }

  /// The objects of one class in a collection.
  private static func objects(
    _ key: String, _ className: String, of object: ArchivedObject
  ) throws(ModelArchiveError) -> [ArchivedObject] {
    var objects: [ArchivedObject] = []
    for element in try object.elements(key) {
      guard let found = element.object(of: className) else {
        throw object.error(
          .unknownClass, "The elements must be of the class \(className), not \(element.kind).",
          key: key)
      }
      objects.append(found)
    }
    return objects
  }

  /// The user info; nil for an empty dictionary, which is how a missing one may be archived.
  private static func userInfo(of object: ArchivedObject) throws(ModelArchiveError)
    -> [AnyHashable: Any]?
  {
    let info = try object.value("NSUserInfo").decoded()
    guard info != nil else { return nil }
    guard let entries = info as? [AnyHashable: Any] else {
      throw object.error(.wrongKind, "User info must be a dictionary.", key: "NSUserInfo")
    }
    return entries.isEmpty ? nil : entries
  }
}
