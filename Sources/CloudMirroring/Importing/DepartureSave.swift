import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import PredicateLanguage

/// Lets objects go in favour of others, in one save.
final class DepartureSave {
  private let site: MirrorSite
  private let context: NSManagedObjectContext
  /// Whom which survivor stands for then.
  private(set) var promises: [(succession: Succession, survivor: RowKey, attributes: OrdinalSet)] =
    []

  init(site: MirrorSite, context: NSManagedObjectContext) {
    (self.site, self.context) = (site, context)
  }

  /// Lets one object go.
  ///
  /// - Returns: What the journal is to have of who goes.
  func depart(_ departure: Departure) throws -> JournalEntry? {
    let objects = try [departure.survivor, departure.departing].map(object)
    guard let departing = objects[1] else { return nil }
    if let survivor = objects[0] {
      if !departure.isGone, let taken = departure.taken,
        !collides(departing, survivor, taken, departure)
      {
        return try giveBack(taken, to: departing, departure)
      }
      return try letGo(departing, departure, inFavourOf: survivor, departure.survivor)
    } else if departure.isGone {
      try settleGone(departing, departure)
    } else if let taken = departure.taken {
      return try giveBack(taken, to: departing, departure)
    }
    return nil
  }

  private func object(named name: String) throws -> NSManagedObject? {
    guard let key = try site.ledger.subjects(of: [record(name)])[record(name)]?.subject.object
    else { return nil }
    let object = try ObjectReader(site: site, context: context).objects([key])[key]
    // An earlier departure may have been this one's.
    return object?.isDeleted == true ? nil : object
  }

  private func record(_ name: String) -> RecordIdentifier {
    RecordIdentifier(recordName: name, zone: site.homeZone)
  }

  /// Whether the survivor still has what was taken from who goes, and that one nothing else: later
  /// parts of the feed may have said otherwise.
  private func collides(
    _ departing: NSManagedObject, _ survivor: NSManagedObject, _ taken: [String: MirrorValue],
    _ departure: Departure
  ) -> Bool {
    departing.mirroredValues(of: departure.constraint).values.allSatisfy { $0 == .null }
      && survivor.mirroredValues(of: departure.constraint) == taken
  }

  // MARK: Going

  private func letGo(
    _ departing: NSManagedObject, _ departure: Departure, inFavourOf survivor: NSManagedObject,
    _ name: String
  ) throws -> JournalEntry? {
    // Whoever let it go first has its values in the journal.
    let entry = departure.isGone ? nil : try journalEntry(departing, departure, survivor, name)
    try carryOver(departing, departure, to: survivor, name)
    try promise(departure, survivor, name)
    context.delete(departing)
    return entry
  }

  private func carryOver(
    _ departing: NSManagedObject, _ departure: Departure, to survivor: NSManagedObject,
    _ name: String
  ) throws {
    let decision = UniquenessDecision(
      survivor: try unique(survivor, name), departing: try unique(departing, departure.departing),
      schema: site.schema)
    for (relationship, members) in decision.related.sorted(by: { $0.key < $1.key }) {
      try relate(survivor, relationship, to: members)
    }
  }

  /// The survivor stands for who goes, and for all whom that one stood for.
  ///
  /// Who is gone has been let go by another device, which says so itself; but whom it stood for
  /// here nobody may have heard.
  private func promise(_ departure: Departure, _ survivor: NSManagedObject, _ name: String) throws {
    // One that has just been made is nobody's to delete.
    guard !name.isEmpty else { return }
    let known =
      try site.ledger.successions(of: [record(departure.departing)])[record(departure.departing)]
      ?? []
    let own = departure.isGone ? known.unsent.map(\.departed) : [departure.departing]
    let key = survivor.objectID.rowKey
    let attributes = site.ordinals(Set(departure.constraint), of: key)
    for departed in own where departed != name {
      for other in known where other.departed != departed {
        promises.append(
          (
            Succession(survivor: record(name), departed: other.departed, isSent: true), key,
            attributes
          ))
      }
      let succession = Succession(
        survivor: record(name), departed: departed, constraint: departure.constraint, isSent: false)
      promises.append((succession, key, attributes))
    }
  }

  /// What both had, with the unique values that were taken from who goes.
  private func journalEntry(
    _ departing: NSManagedObject, _ departure: Departure, _ survivor: NSManagedObject,
    _ name: String
  ) throws -> JournalEntry {
    let (key, other) = (departing.objectID.rowKey, survivor.objectID.rowKey)
    let names = [key: departure.departing, other: name].mapValues(record)
    var contents = try ObjectReader(site: site, context: context).contents(
      of: [key: departing, other: survivor], names: names)
    for (attribute, value) in departure.taken ?? [:] where value != .null {
      contents[key]?.values[attribute] = value
    }
    return JournalEntry(
      date: site.now, object: key, property: "", kept: contents[other].flatMap(JournalValue.bytes),
      overwritten: contents[key].flatMap(JournalValue.bytes), keptIsOurs: false, author: nil)
  }

  // MARK: Who is gone

  /// Who was to stay is gone, and so is who goes for them.
  ///
  /// Where the one who goes stood for others, of which no server has heard, what is related to it
  /// goes to whoever has its values by now, or to a new object like it.
  private func settleGone(_ departing: NSManagedObject, _ departure: Departure) throws {
    if departure.stoodIn, let taken = departure.taken {
      let values = try departing.objectValues(taken)
      if !values.isEmpty, let owner = try owner(of: values, departing.entity), owner !== departing {
        let name = try site.ledger.records(of: [owner.objectID.rowKey])[owner.objectID.rowKey]?
          .identifier.recordName
        _ = try letGo(departing, departure, inFavourOf: owner, name ?? "")
        return
      }
      if try stillStandsIn(departure) {
        try carryOver(departing, departure, to: try copy(departing, values), "")
      }
    }
    context.delete(departing)
  }

  private func stillStandsIn(_ departure: Departure) throws -> Bool {
    let departing = record(departure.departing)
    return try site.ledger.successions(of: [departing])[departing]?.unsent.isEmpty == false
  }

  /// A new object with the attributes of another one.
  private func copy(_ object: NSManagedObject, _ unique: [String: Any]) throws -> NSManagedObject {
    let copy = NSEntityDescription.insertNewObject(
      forEntityName: object.entity.name ?? "", into: context)
    context.assign(copy, to: try site.store())
    for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
    where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
      copy.replaceValue(of: name, by: unique[name] ?? object.primitiveValue(forKey: name))
    }
    return copy
  }

  /// Who was to stay is gone: the other one stays, unless its values are somebody else's by now, or
  /// it has got others.
  private func giveBack(
    _ taken: [String: MirrorValue], to departing: NSManagedObject, _ departure: Departure
  ) throws -> JournalEntry? {
    guard departing.mirroredValues(of: departure.constraint).values.allSatisfy({ $0 == .null })
    else { return nil }
    let values = try departing.objectValues(taken)
    // Nothing is to be given back of attributes that the model has no more, nor by the second of
    // two who were to stay.
    guard !values.isEmpty else { return nil }
    if let owner = try owner(of: values, departing.entity), owner !== departing {
      guard let name = try site.ledger.records(of: [owner.objectID.rowKey])[owner.objectID.rowKey]
      else { return nil }
      return try letGo(departing, departure, inFavourOf: owner, name.identifier.recordName)
    }
    for (attribute, value) in values.sorted(by: { $0.key < $1.key }) {
      departing.replaceValue(of: attribute, by: value)
    }
    return nil
  }

  /// Who has these values.
  private func owner(of values: [String: Any], _ entity: NSEntityDescription) throws
    -> NSManagedObject?
  {
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

  // MARK: Relating

  private func unique(_ object: NSManagedObject, _ name: String) throws -> UniqueObject {
    var related: [String: [String]] = [:]
    for relationship in object.entity.relationshipsByName.keys {
      let keys = object.objectIDs(forRelationshipNamed: relationship).map(\.rowKey)
      let rows = try site.ledger.records(of: keys)
      related[relationship] = keys.compactMap { rows[$0]?.identifier.recordName }
    }
    return UniqueObject(entity: object.entity.name ?? "", recordName: name, related: related)
  }

  private func relate(_ object: NSManagedObject, _ relationship: String, to names: [String]) throws
  {
    let identifiers = names.map(record)
    let rows = try site.ledger.subjects(of: identifiers)
    let keys = identifiers.compactMap { rows[$0]?.subject.object }
    let found = try ObjectReader(site: site, context: context).objects(keys)
    let members = keys.compactMap { found[$0] }
    object.replaceValue(of: relationship, by: value(members, object, relationship))
  }

  private func value(
    _ members: [NSManagedObject], _ object: NSManagedObject, _ relationship: String
  ) -> Any? {
    guard let description = object.entity.relationshipsByName[relationship], description.isToMany
    else {
      return members.first
    }
    return description.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
  }
}

extension NSManagedObject {
  /// The values of attributes, to be noted.
  func mirroredValues(of attributes: [String]) -> [String: MirrorValue] {
    var values: [String: MirrorValue] = [:]
    for attribute in attributes {
      guard let type = entity.attributesByName[attribute]?.attributeType else { continue }
      values[attribute] = value(forKey: attribute).flatMap { MirrorValue($0, as: type) } ?? .null
    }
    return values
  }

  /// Noted values, as objects have them; those of attributes that the model has no more are left
  /// out.
  fileprivate func objectValues(_ noted: [String: MirrorValue]) throws -> [String: Any] {
    var values: [String: Any] = [:]
    for (attribute, value) in noted {
      guard let type = entity.attributesByName[attribute]?.attributeType else { continue }
      values[attribute] = try value.object(as: type)
    }
    return values
  }

  /// Sets a property past the program's own accessor.
  func replaceValue(of property: String, by value: Any?) {
    willChangeValue(forKey: property)
    setPrimitiveValue(value, forKey: property)
    didChangeValue(forKey: property)
  }
}
