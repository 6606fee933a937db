import Foundation
import ManagedObjectModel
import ManagedObjects

/// A place for volumes, with accessors by ordinal as the generator writes them.
final class Bookcase: NSManagedObject {
  private(set) var fetches = 0

  override func awakeFromFetch() {
    super.awakeFromFetch()
    fetches += 1
  }

  var label: String? {
    get { _get(0, "label") }
    set { _set(0, "label", newValue) }
  }
  var row: NSOrderedSet? {
    get { _get(1, "row") }
    set { _set(1, "row", newValue) }
  }
  var volumes: NSSet? {
    get { _get(2, "volumes") }
    set { _set(2, "volumes", newValue) }
  }
  // The same relationships with other types, as in handwritten classes.
  var rowList: [Volume] { _get(1, "row") }
  var rowSet: Set<Volume> { _get(1, "row") }
  var volumeSet: Set<Volume> { _get(2, "volumes") }
  var optionalVolumeSet: Set<NSManagedObject>? { _get(2, "volumes") }
  var volumesAsBookcases: Set<Bookcase> { _get(2, "volumes") }
}

class Volume: NSManagedObject {
  override class var _hasGeneratedBody: Bool { self == Volume.self }

  var name: String? {
    get { _get(1, "name") }
    set { _set(1, "name", newValue) }
  }
  var bookcase: Bookcase? {
    get { _get(0, "bookcase") }
    set { _set(0, "bookcase", newValue) }
  }
}

/// A class that a program derives from a generated one, with its own initializer and life-cycle
/// methods.
final class Atlas: Volume {
  let givenEntity: String?
  private(set) var checks = 0
  private(set) var fetches = 0

  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    givenEntity = entity.name
    super.init(entity: entity, insertInto: context)
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    checks += 1
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    fetches += 1
  }
}

/// The model of bookcases, linked into the process like the build plug-in links models.
enum BookcaseModel {
  static func linked() -> NSManagedObjectModel? {
    registered
    return NSManagedObjectModel.linked(named: "BookcaseModel")
  }

  private static let registered: Void = {
    let compiled = Result { try CompiledModel.write(make()) }
    ModelRegistry.register(
      name: "BookcaseModel",
      classes: ["Atlas": Atlas.self, "Bookcase": Bookcase.self, "Volume": Volume.self]
    ) { (try? compiled.get()) ?? Data() }
  }()

  private static func make() -> NSManagedObjectModel {
    let (bookcase, volume) = (entity("Bookcase", Bookcase.self), entity("Volume", Volume.self))
    let row = relationship("row", to: volume, isToMany: true)
    row.isOrdered = true
    let (rowOf, place) = (
      relationship("rowOf", to: bookcase), relationship("bookcase", to: bookcase)
    )
    let volumes = relationship("volumes", to: volume, isToMany: true)
    for (one, other) in [(row, rowOf), (volumes, place)] {
      (one.inverseRelationship, other.inverseRelationship) = (other, one)
    }
    bookcase.properties = [KitchenModel.attribute("label", .stringAttributeType), row, volumes]
    volume.properties = [KitchenModel.attribute("name", .stringAttributeType), rowOf, place]
    let atlas = entity("Atlas", Atlas.self)
    volume.subentities = [atlas]
    let model = NSManagedObjectModel()
    model.entities = [atlas, bookcase, volume]
    return model
  }

  private static func entity(_ name: String, _ managedObjectClass: NSManagedObject.Type)
    -> NSEntityDescription
  {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = NSStringFromClass(managedObjectClass)
    return entity
  }

  private static func relationship(
    _ name: String, to destination: NSEntityDescription, isToMany: Bool = false
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = isToMany ? 0 : 1
    relationship.isOptional = true
    return relationship
  }
}
