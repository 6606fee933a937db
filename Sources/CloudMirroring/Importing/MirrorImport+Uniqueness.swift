import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import Synchronization

/// Values that must be unique and are not.
extension MirrorImport {
  /// Takes the unique values from those who go, and notes who they are in the import's own save.
  func separate() throws {
    changes.departures = try departures.adding(replaced).map(takeValues)
  }

  /// The departure of an object whose record is gone, where it goes for another one: as was noted, or since the page brings one with its values.
  ///
  /// It is no mere deletion then: what is related to it here, and whoever deleted it had not heard of, is carried over.
  func departure(of gone: RecordIdentifier) throws -> Departure? {
    guard let object = objects[gone], let entity = site.schema[object.entity.name ?? ""], !entity.constraints.isEmpty
    else { return nil }
    var departure = try noted(gone.recordName)
    for constraint in entity.constraints where departure == nil {
      guard let values = UniqueValues(of: object, constraint), let heir = newcomers[values], heir < gone.recordName
      else { continue }
      departure = Departure(survivor: heir, departing: gone.recordName, constraint: constraint.attributes)
    }
    departure?.isGone = true
    return departure
  }

  /// The departure of a name that is noted already.
  private func noted(_ name: String) throws -> Departure? {
    if knownDepartures == nil {
      let all = try (departures + site.ledger.departures()).map { ($0.departing, $0) }
      knownDepartures = Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
    return knownDepartures?[name]
  }

  /// The objects that the page brings or changes, by their unique values: of several with the same, the one with the smallest name.
  private func findNewcomers() -> [UniqueValues: String] {
    var found: [UniqueValues: String] = [:]
    for told in told {
      guard let object = objects[told.identifier], !gone.contains(told.identifier) else { continue }
      for constraint in site.schema[object.entity.name ?? ""]?.constraints ?? [] {
        guard let values = UniqueValues(of: object, constraint) else { continue }
        found[values] = min(found[values] ?? told.identifier.recordName, told.identifier.recordName)
      }
    }
    return found
  }

  var newcomers: [UniqueValues: String] {
    if let known = knownNewcomers { return known }
    let found = findNewcomers()
    knownNewcomers = found
    return found
  }

  /// Takes its unique values from who goes, and notes them.
  private func takeValues(_ departure: Departure) throws -> Departure {
    let name = RecordIdentifier(recordName: departure.departing, zone: site.homeZone)
    if objects[name] == nil { try bringIn(try site.ledger.subjects(of: [name]).values) }
    guard let object = objects[name] else { return departure }
    var departure = departure
    departure.taken = object.mirroredValues(of: departure.constraint)
    for attribute in departure.constraint { object.replaceValue(of: attribute, by: nil) }
    return departure
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

/// What an object has in attributes that must be unique together.
struct UniqueValues: Hashable {
  private let constraint: MirrorConstraint
  private let values: [MirrorValue]

  /// Nil where one of them is nothing, which is like nobody's.
  init?(of object: NSManagedObject, _ constraint: MirrorConstraint) {
    let noted = object.mirroredValues(of: constraint.attributes)
    let values = constraint.attributes.map { noted[$0] ?? .null }
    guard !values.contains(.null) else { return nil }
    (self.constraint, self.values) = (constraint, values)
  }
}

extension MirrorEngine {
  /// Carries the relationships of those who go over to those who stay, and deletes them, in a save that is sent like any other.
  ///
  /// It is called at the end of a feed, when all that refers to those who go has come. What must be valid was so elsewhere, as in imports.
  func settleDepartures() async throws {
    let departures = try ledger.departures()
    guard !departures.isEmpty else { return }
    let noted = Mutex<Set<RowKey>>([])
    try await savingAgain { [site] in
      try await site.withContext { context in
        context.savesUnvalidated = true
        let save = DepartureSave(site: site, context: context)
        // First: an entry that a crash leaves twice is better than none. A former attempt has noted some.
        let entries = try departures.compactMap(save.depart)
        try site.ledger.note(entries.filter { entry in noted.withLock { $0.insert(entry.object).inserted } })
        try context.save()
      }
    }
    try ledger.settle(departures)
  }
}

/// Lets one object go in favour of another.
private struct DepartureSave {
  let site: MirrorSite
  let context: NSManagedObjectContext

  /// - Returns: What the journal is to have of who goes.
  func depart(_ departure: Departure) throws -> JournalEntry? {
    let objects = try [departure.survivor, departure.departing].map(object)
    guard let departing = objects[1] else { return nil }
    if let survivor = objects[0] {
      if !departure.isGone, let taken = departure.taken, !collides(departing, survivor, taken, departure) {
        return try giveBack(taken, to: departing, departure)
      }
      let entry = try letGo(departing, departure, inFavourOf: survivor, departure.survivor)
      // Whoever let it go first has its values in the journal.
      return departure.isGone ? nil : entry
    } else if departure.isGone {
      context.delete(departing)
    } else if let taken = departure.taken {
      return try giveBack(taken, to: departing, departure)
    }
    return nil
  }

  private func object(named name: String) throws -> NSManagedObject? {
    let identifier = RecordIdentifier(recordName: name, zone: site.homeZone)
    guard let key = try site.ledger.subjects(of: [identifier])[identifier]?.subject.object else { return nil }
    let object = try ObjectReader(site: site, context: context).objects([key])[key]
    // An earlier departure may have been this one's.
    return object?.isDeleted == true ? nil : object
  }

  /// Whether the survivor still has what was taken from who goes, and that one nothing else: later parts of the feed may have said otherwise.
  private func collides(
    _ departing: NSManagedObject, _ survivor: NSManagedObject, _ taken: [String: MirrorValue], _ departure: Departure
  ) -> Bool {
    departing.mirroredValues(of: departure.constraint).values.allSatisfy { $0 == .null }
      && survivor.mirroredValues(of: departure.constraint) == taken
  }

  private func letGo(
    _ departing: NSManagedObject, _ departure: Departure, inFavourOf survivor: NSManagedObject, _ name: String
  ) throws -> JournalEntry {
    let entry = try journalEntry(departing, departure, survivor, name)
    let decision = UniquenessDecision(
      try unique(survivor, name), try unique(departing, departure.departing), schema: site.schema)
    for (relationship, members) in decision.related.sorted(by: { $0.key < $1.key }) {
      try relate(survivor, relationship, to: members)
    }
    context.delete(departing)
    return entry
  }

  /// What both had, with the unique values that were taken from who goes.
  private func journalEntry(
    _ departing: NSManagedObject, _ departure: Departure, _ survivor: NSManagedObject, _ name: String
  ) throws -> JournalEntry {
    let (key, other) = (departing.objectID.rowKey, survivor.objectID.rowKey)
    let names = [key: departure.departing, other: name].mapValues {
      RecordIdentifier(recordName: $0, zone: site.homeZone)
    }
    var contents = try ObjectReader(site: site, context: context).contents(
      of: [key: departing, other: survivor], names: names)
    for (attribute, value) in departure.taken ?? [:] where value != .null { contents[key]?.values[attribute] = value }
    return JournalEntry(
      date: site.now, object: key, property: "", kept: contents[other].flatMap(JournalValue.bytes),
      overwritten: contents[key].flatMap(JournalValue.bytes), keptIsOurs: false, author: nil)
  }

  /// Who was to stay is gone: the other one stays, unless its values are somebody else's by now, or it has got others.
  private func giveBack(
    _ taken: [String: MirrorValue], to departing: NSManagedObject, _ departure: Departure
  ) throws -> JournalEntry? {
    guard departing.mirroredValues(of: departure.constraint).values.allSatisfy({ $0 == .null }) else { return nil }
    let values = try departing.objectValues(taken)
    // Nothing is to be given back of attributes that the model has no more, nor by the second of two who were to stay.
    guard !values.isEmpty else { return nil }
    if let owner = try owner(of: values, departing.entity), owner !== departing {
      guard let name = try site.ledger.records(of: [owner.objectID.rowKey])[owner.objectID.rowKey] else { return nil }
      return try letGo(departing, departure, inFavourOf: owner, name.identifier.recordName)
    }
    for (attribute, value) in values.sorted(by: { $0.key < $1.key }) {
      departing.replaceValue(of: attribute, by: value)
    }
    return nil
  }

  /// Who has these values.
  private func owner(of values: [String: Any], _ entity: NSEntityDescription) throws -> NSManagedObject? {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = entity
    // Another store may have an object with the same values, which is none of the cloud's.
    request.affectedStores = [try site.store()]
    request.fetchLimit = 1
    let parts = values.sorted { $0.key < $1.key }
    request.predicate = NSPredicate(
      format: parts.map { _ in "%K == %@" }.joined(separator: " AND "),
      argumentArray: parts.flatMap { [$0.key, $0.value] })
    return try context.fetch(request).first
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
    object.replaceValue(of: relationship, by: value(members, object, relationship))
  }

  private func value(_ members: [NSManagedObject], _ object: NSManagedObject, _ relationship: String) -> Any? {
    guard let description = object.entity.relationshipsByName[relationship], description.isToMany else {
      return members.first
    }
    return description.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
  }
}

extension NSManagedObject {
  /// The values of attributes, to be noted.
  fileprivate func mirroredValues(of attributes: [String]) -> [String: MirrorValue] {
    var values: [String: MirrorValue] = [:]
    for attribute in attributes {
      guard let type = entity.attributesByName[attribute]?.attributeType else { continue }
      values[attribute] = value(forKey: attribute).flatMap { MirrorValue($0, as: type) } ?? .null
    }
    return values
  }

  /// Noted values, as objects have them; those of attributes that the model has no more are left out.
  fileprivate func objectValues(_ noted: [String: MirrorValue]) throws -> [String: Any] {
    var values: [String: Any] = [:]
    for (attribute, value) in noted {
      guard let type = entity.attributesByName[attribute]?.attributeType else { continue }
      values[attribute] = try value.object(as: type)
    }
    return values
  }

  /// Sets a property past the program's own accessor.
  fileprivate func replaceValue(of property: String, by value: Any?) {
    willChangeValue(forKey: property)
    setPrimitiveValue(value, forKey: property)
    didChangeValue(forKey: property)
  }
}
