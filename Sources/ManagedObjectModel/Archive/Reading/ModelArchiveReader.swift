import Foundation
import PredicateLanguage
import PropertyLists

/// Builds a model from the archive of an `NSManagedObjectModel`.
///
/// The archive is a graph with cycles: entities, their properties and the model refer to each
/// other. The reader makes passes, each of which needs only the results of the previous ones:
///
/// 1. the entities of `NSEntities`, by their position in the archive
/// 2. the inheritance hierarchy
/// 3. properties, superentities first; a model cache repeats inherited properties in every
///    subentity, and the repetitions are skipped
/// 4. destinations and inverses of relationships, fetch requests of fetched properties
/// 5. indexes and constraints, which name properties
/// 6. configurations, templates and identifiers of the model
///
/// Keys that are not in the tables of this folder are ignored: they are caches, or marks of the
/// compiler.
struct ModelArchiveReader {
  /// An entity and the object that describes it.
  struct Entry {
    let object: ArchivedObject
    let entity: NSEntityDescription
    let name: String
  }

  let root: ArchivedObject
  let model = NSManagedObjectModel()
  var entries: [Entry] = []
  /// The entities by the positions of their objects.
  var entities: [Int: NSEntityDescription] = [:]
  var entitiesByName: [String: NSEntityDescription] = [:]
  /// The properties by the positions of their objects; a repetition has the original property.
  var properties: [Int: NSPropertyDescription] = [:]
  var relationships: [(object: ArchivedObject, relationship: NSRelationshipDescription)] = []
  /// The number of all entities' properties, including inherited ones.
  var propertyCount = 0
  var fetchedProperties: [(object: ArchivedObject, property: NSFetchedPropertyDescription)] = []

  /// Reads a model from the bytes of an archive.
  static func read(_ bytes: [UInt8]) throws(ModelArchiveError) -> NSManagedObjectModel {
    guard BinaryPropertyList.hasHeader(bytes) else { throw notBinary(bytes) }
    let root = try KeyedArchive(bytes).root()
    guard root.isKind(of: "NSManagedObjectModel") else {
      throw root.error(
        .notAModel,
        "The archive contains an object of the class \(root.className), not an NSManagedObjectModel."
      )
    }
    var reader = ModelArchiveReader(root: root)
    return try reader.readModel()
  }

  private static func notBinary(_ bytes: [UInt8]) -> ModelArchiveError {
    let kind =
      if bytes.starts(with: "momv2$".utf8) {
        "the private optimized form (.omo), which is not supported. Read the .mom beside it"
      } else if XMLPropertyList.hasHeader(bytes) {
        "XML, which Apple's model compiler does not write. Compile the model again from its source"
      } else {
        "something else. Compile the model again from its source"
      }
    return ModelArchiveError(
      .notAnArchive, "A compiled model is a binary property list; this file is \(kind).")
  }

  private init(root: ArchivedObject) {
    self.root = root
  }

  private mutating func readModel() throws(ModelArchiveError) -> NSManagedObjectModel {
    try makeEntities()
    try connectSuperentities()
    for entry in try superentitiesFirst() { try readProperties(of: entry) }
    for (object, relationship) in relationships { try connect(relationship, object) }
    for (object, property) in fetchedProperties { try readFetchRequest(of: property, object) }
    for entry in entries { try readIndexes(of: entry) }
    model.entities = entries.map(\.entity)
    try readConfigurations()
    try readTemplates()
    try readIdentifiers()
    return model
  }

  /// The name of an entity or a property, which must not be empty or too long.
  func name(_ key: String, of object: ArchivedObject) throws(ModelArchiveError) -> String {
    let name = try object.requiredString(key)
    guard !name.isEmpty, name.utf8.count <= Limits.nameBytes else {
      throw object.error(
        .limit, "A name has 1 to \(Limits.nameBytes) bytes, not \(name.utf8.count).", key: key)
    }
    return name
  }

  /// The entity that a key refers to, if any.
  func entity(_ key: String, of object: ArchivedObject) throws(ModelArchiveError)
    -> NSEntityDescription?
  {
    guard let reference = try object.object(key) else { return nil }
    guard let entity = entities[reference.index] else {
      throw object.error(
        .contradiction, "The referenced entity does not belong to the model.", key: key)
    }
    return entity
  }

  /// The user info; nil for an empty dictionary, which is how a missing one is archived.
  func userInfo(of object: ArchivedObject) throws(ModelArchiveError) -> [AnyHashable: Any]? {
    let info = try object.value("NSUserInfo").decoded()
    guard info != nil else { return nil }
    guard let entries = info as? [AnyHashable: Any] else {
      throw object.error(.wrongKind, "User info must be a dictionary.", key: "NSUserInfo")
    }
    return entries.isEmpty ? nil : entries
  }
}
