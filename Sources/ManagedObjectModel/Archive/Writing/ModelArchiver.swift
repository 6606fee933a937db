import Foundation
import PredicateLanguage
import PropertyLists

/// Writes a model as the archive of an `NSManagedObjectModel`, with the classes and keys of Apple's
/// archives.
///
/// The tables of `ModelArchiveReader` list the keys. The positions of all entities and properties
/// are reserved first, in the order of names. So references may precede their objects, and equal
/// models produce equal bytes. If Apple's key is not known, our key starts with `Parhelion`:
/// Apple's decoder ignores it.
struct ModelArchiver {
  /// The two forms in which Apple's tools archive models.
  enum Form {
    /// A compiled model: an entity has only its own properties.
    case compiled
    /// A store's model cache: an entity also has copies of the inherited properties.
    case cache
  }

  /// A property in an entity; in a model cache one property is in several entities.
  struct Place: Hashable {
    let entity: ObjectIdentifier
    let property: ObjectIdentifier

    init(_ property: NSPropertyDescription, in entity: NSEntityDescription) {
      self.entity = ObjectIdentifier(entity)
      self.property = ObjectIdentifier(property)
    }
  }

  let model: NSManagedObjectModel
  let form: Form
  var builder = KeyedArchiveBuilder()
  /// The entities in the order of their names.
  var entities: [(name: String, entity: NSEntityDescription)] = []
  var entityReferences: [ObjectIdentifier: PropertyList] = [:]
  var propertyReferences: [Place: PropertyList] = [:]
  var root = KeyedArchiveBuilder.null

  /// Archives a model.
  static func write(_ model: NSManagedObjectModel, form: Form) throws(ModelArchiveError) -> [UInt8]
  {
    var archiver = ModelArchiver(model: model, form: form)
    return try archiver.write()
  }

  private init(model: NSManagedObjectModel, form: Form) {
    self.model = model
    self.form = form
  }

  private mutating func write() throws(ModelArchiveError) -> [UInt8] {
    root = builder.reserve()
    try reservePlaces()
    for (name, entity) in entities { try add(entity, at: ArchivePath(name)) }
    try addModel()
    return try builder.finish(root: root)
  }

  private mutating func reservePlaces() throws(ModelArchiveError) {
    for entity in model.entities {
      guard let name = entity.name, !name.isEmpty else {
        throw ModelArchiveError(.notArchivable, "An entity has no name.")
      }
      entities.append((name, entity))
    }
    entities.sort { $0.name < $1.name }
    for (one, other) in zip(entities, entities.dropFirst()) where one.name == other.name {
      throw ModelArchiveError(.notArchivable, "Two entities have the name “\(one.name)”.")
    }
    for (_, entity) in entities { entityReferences[ObjectIdentifier(entity)] = builder.reserve() }
    for (_, entity) in entities {
      for property in archivedProperties(of: entity) {
        propertyReferences[Place(property, in: entity)] = builder.reserve()
      }
    }
  }

  /// The properties in the entity's archive, in the order of their names.
  func archivedProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
    (form == .compiled ? entity.ownProperties : Array(entity.propertiesByName.values)).sorted {
      $0.name < $1.name
    }
  }

  // MARK: References

  func reference(
    to entity: NSEntityDescription?, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let entity else { return KeyedArchiveBuilder.null }
    guard let reference = entityReferences[ObjectIdentifier(entity)] else {
      throw ModelArchiveError(
        .notArchivable, "The entity “\(entity.name ?? "")” is not one of the model's entities.",
        at: path)
    }
    return reference
  }

  func reference(
    to property: NSPropertyDescription?, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    guard let property else { return KeyedArchiveBuilder.null }
    guard let entity = property.declaringEntity,
      let reference = propertyReferences[Place(property, in: entity)]
    else {
      throw ModelArchiveError(
        .notArchivable,
        "The property “\(property.name)” does not belong to an entity of the model.", at: path)
    }
    return reference
  }

  mutating func addUserInfo(
    _ info: [AnyHashable: Any]?, at path: ArchivePath
  ) throws(ModelArchiveError) -> PropertyList {
    var entries: [String: Any] = [:]
    for (key, value) in info ?? [:] {
      guard let name = key as? String else {
        throw ModelArchiveError(.notArchivable, "A key of the user info is not a string.", at: path)
      }
      entries[name] = value
    }
    return try ValueArchiver.addDictionary(
      entries, to: &builder, at: ArchivePath("userInfo", in: path))
  }
}
