import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteDriver

/// Values that must be unique and are not.
extension MirrorImport {
  /// Takes the unique values from those who go, and notes who they are in the import's own save.
  func separate() throws {
    guard !departures.isEmpty else { return }
    for departure in departures {
      let name = RecordIdentifier(recordName: departure.departing, zone: site.homeZone)
      if objects[name] == nil { try bringIn(try site.ledger.subjects(of: [name]).values) }
      guard let object = objects[name] else { continue }
      for attribute in departure.constraint {
        object.willChangeValue(forKey: attribute)
        object.setPrimitiveValue(nil, forKey: attribute)
        object.didChangeValue(forKey: attribute)
      }
    }
    let known = try site.ledger.departures()
    changes.state[.departures] = try Departure.value(known + departures.filter { !known.contains($0) })
  }

  /// Who has to go, of a save that failed.
  func collision(_ error: NSError) throws -> UniquenessCollision? {
    guard error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectConstraintMergeError,
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
    else { return nil }
    let found = try conflicts.flatMap { try departures(of: $0) }
    return found.allSatisfy(departures.contains) ? nil : UniquenessCollision(departures: departures + found)
  }

  private func departures(of conflict: NSConstraintConflict) throws -> [Departure] {
    let colliding = conflict.conflictingObjects + (conflict.databaseObject.map { [$0] } ?? [])
    let names = try recordNames(of: colliding).sorted()
    guard let survivor = names.first else { return [] }
    return names.dropFirst().map { Departure(survivor: survivor, departing: $0, constraint: conflict.constraint) }
  }

  private func recordNames(of colliding: [NSManagedObject]) throws -> [String] {
    let here = Dictionary(objects.map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    let rows = try site.ledger.records(of: colliding.map(\.objectID.rowKey))
    return colliding.compactMap { object in
      (here[ObjectIdentifier(object)] ?? rows[object.objectID.rowKey]?.identifier)?.recordName
    }
  }
}

extension MirrorEngine {
  /// Carries the relationships of those who go over to those who stay, and deletes them, in a save that is sent like any other.
  func settleDepartures() async throws {
    let departures = try ledger.departures()
    guard !departures.isEmpty else { return }
    try await site.withContext { [site] context in
      for departure in departures { try DepartureSave(site: site, context: context).depart(departure) }
      try context.save()
    }
    try ledger.setState([.departures: .null])
  }
}

/// Lets one object go in favour of another.
private struct DepartureSave {
  let site: MirrorSite
  let context: NSManagedObjectContext

  func depart(_ departure: Departure) throws {
    let names = [departure.survivor, departure.departing].map { RecordIdentifier(recordName: $0, zone: site.homeZone) }
    let rows = try site.ledger.subjects(of: names)
    let keys = names.compactMap { rows[$0]?.subject.object }
    guard keys.count == 2 else { return }
    let objects = try ObjectReader(site: site, context: context).objects(keys)
    guard let survivor = objects[keys[0]], let departing = objects[keys[1]] else { return }
    let decision = UniquenessDecision(
      try unique(survivor, departure.survivor), try unique(departing, departure.departing), schema: site.schema)
    for (relationship, members) in decision.related.sorted(by: { $0.key < $1.key }) {
      try relate(survivor, relationship, to: members)
    }
    context.delete(departing)
  }

  private func unique(_ object: NSManagedObject, _ name: String) throws -> UniqueObject {
    var related: [String: [String]] = [:]
    for relationship in object.entity.relationshipsByName.keys {
      let keys = object.objectIDs(forRelationshipNamed: relationship).map(\.rowKey)
      let rows = try site.ledger.records(of: keys)
      related[relationship] = keys.compactMap { rows[$0]?.identifier.recordName }
    }
    return UniqueObject(entity: object.entity.name ?? "", recordName: name, related: related)
  }

  private func relate(_ object: NSManagedObject, _ relationship: String, to names: [String]) throws {
    let identifiers = names.map { RecordIdentifier(recordName: $0, zone: site.homeZone) }
    let rows = try site.ledger.subjects(of: identifiers)
    let keys = identifiers.compactMap { rows[$0]?.subject.object }
    let found = try ObjectReader(site: site, context: context).objects(keys)
    let members = keys.compactMap { found[$0] }
    object.willChangeValue(forKey: relationship)
    object.setPrimitiveValue(value(members, object, relationship), forKey: relationship)
    object.didChangeValue(forKey: relationship)
  }

  private func value(_ members: [NSManagedObject], _ object: NSManagedObject, _ relationship: String) -> Any? {
    guard let description = object.entity.relationshipsByName[relationship], description.isToMany else {
      return members.first
    }
    return description.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
  }
}
