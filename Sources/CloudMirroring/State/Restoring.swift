import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Restores an object from the conflict journal.
struct Restoring {
  let mirror: MirrorStore
  let context: NSManagedObjectContext
  let content: ObjectContent
  let entity: MirrorEntity

  /// Returns the object to restore into.
  ///
  /// - Throws: An error if the object is gone.
  func object(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
    do {
      return try context.existingObject(with: objectID)
    } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
      throw MirrorError.cannotUndo("the object of the entity \(entity.name) is gone")
    }
  }

  /// Restores one property.
  ///
  /// - Throws: An error if a referenced object is gone.
  func putBack(_ property: String, into object: NSManagedObject) throws {
    if entity.reference(property) != nil {
      let target = try target(of: property)
      if target == nil, content.references[property] != nil {
        throw MirrorError.cannotUndo("the target of \(property) no longer exists")
      }
      set(property, of: object, to: target)
    } else if entity.order(property) != nil {
      try arrange(property, of: object)
    } else {
      set(property, of: object, to: try entity.objectValue(of: property, in: content))
    }
  }

  /// Inserts the object again, with its values and its references to existing objects.
  ///
  /// To-many relationships stay empty: their former members keep their current owners.
  func makeAgain() throws {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
    context.assign(object, to: try mirror.store())
    for property in entity.attributeProperties {
      set(property, of: object, to: try entity.objectValue(of: property, in: content))
    }
    for reference in entity.references where content.references[reference.property] != nil {
      if let target = try target(of: reference.property) {
        set(reference.property, of: object, to: target)
      }
    }
  }

  private func target(of property: String) throws -> NSManagedObject? {
    guard let name = content.references[property] else { return nil }
    return try objects(named: [name])[name]
  }

  private func objects(named names: [String]) throws -> [String: NSManagedObject] {
    let identifiers = names.map { RecordIdentifier(recordName: $0, zone: mirror.homeZone) }
    let keys = try mirror.ledger.sharedZones.subjectsAnywhere(of: identifiers).compactMapValues(
      \.subject.object)
    let found = try ObjectReader(mirror: mirror, context: context).objects(keys.values)
    return Dictionary(
      keys.compactMap { name, key in found[key].map { (name.recordName, $0) } },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Restores the former order of remaining members; members that were added since come last.
  private func arrange(_ property: String, of object: NSManagedObject) throws {
    let names = content.orders[property] ?? []
    let found = try objects(named: names)
    let members = object.mutableOrderedSetValue(forKey: property)
    let present = NSOrderedSet(
      array: names.compactMap { found[$0] }.filter { members.contains($0) })
    let others = (0..<members.count).map { members.object(at: $0) }.filter { !present.contains($0) }
    let arranged = (0..<present.count).map { present.object(at: $0) } + others
    object.setValue(NSOrderedSet(array: arranged), forKey: property)
  }

  private func set(_ property: String, of object: NSManagedObject, to value: Any?) {
    object.willChangeValue(forKey: property)
    object.setPrimitiveValue(value, forKey: property)
    object.didChangeValue(forKey: property)
  }
}
