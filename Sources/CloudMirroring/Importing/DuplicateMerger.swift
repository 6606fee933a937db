import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import PredicateLanguage

/// Merges losers into their winners, in one save.
final class DuplicateMerger {
  private let mirror: MirrorStore
  private let context: NSManagedObjectContext
  /// The duplicates that the winners absorb.
  private(set) var announcements:
    [(duplicate: MergedDuplicate, winner: RowKey, attributes: OrdinalSet)] =
      []

  init(mirror: MirrorStore, context: NSManagedObjectContext) {
    (self.mirror, self.context) = (mirror, context)
  }

  /// Merges one loser.
  ///
  /// - Returns: The journal entry of the loser.
  func merge(_ merge: DuplicateMerge) throws -> JournalEntry? {
    let objects = try [merge.winner, merge.loser].map(object)
    guard let loser = objects[1] else { return nil }
    if let winner = objects[0] {
      if !merge.isGone, let taken = merge.taken, !collides(loser, winner, taken, merge) {
        return try giveBack(taken, to: loser, merge)
      }
      return try mergeLoser(loser, merge, inFavourOf: winner, merge.winner)
    } else if merge.isGone {
      try settleGone(loser, merge)
    } else if let taken = merge.taken {
      return try giveBack(taken, to: loser, merge)
    }
    return nil
  }

  private func object(named name: String) throws -> NSManagedObject? {
    let record = try record(name)
    guard let key = try mirror.ledger.subjects(of: [record])[record]?.subject.object
    else { return nil }
    let object = try ObjectReader(mirror: mirror, context: context).objects([key])[key]
    // An earlier merge may have deleted it.
    return object?.isDeleted == true ? nil : object
  }

  private func record(_ name: String) throws -> RecordIdentifier {
    try mirror.ledger.sharedZones.record(named: name)
  }

  /// Whether the winner still has the values taken from the loser, and the loser has no others.
  ///
  /// Later parts of the feed may have changed them.
  private func collides(
    _ loser: NSManagedObject, _ winner: NSManagedObject, _ taken: [String: MirrorValue],
    _ merge: DuplicateMerge
  ) -> Bool {
    loser.mirroredValues(of: merge.constraint).values.allSatisfy { $0 == .null }
      && winner.mirroredValues(of: merge.constraint) == taken
  }

  // MARK: Merging

  private func mergeLoser(
    _ loser: NSManagedObject, _ merge: DuplicateMerge, inFavourOf winner: NSManagedObject,
    _ name: String
  ) throws -> JournalEntry? {
    // The device that merged first has the values in its journal.
    let entry = merge.isGone ? nil : try journalEntry(loser, merge, winner, name)
    try carryOver(loser, merge, to: winner, name)
    try announce(merge, winner, name)
    context.delete(loser)
    return entry
  }

  private func carryOver(
    _ loser: NSManagedObject, _ merge: DuplicateMerge, to winner: NSManagedObject, _ name: String
  ) throws {
    let decision = DuplicateDecision(
      winner: try unique(winner, name), loser: try unique(loser, merge.loser),
      schema: mirror.schema)
    for (relationship, members) in decision.related.sorted(by: { $0.key < $1.key }) {
      try relate(winner, relationship, to: members)
    }
  }

  /// Announces that the winner absorbs the loser and all that the loser had absorbed.
  ///
  /// If the loser's record is gone, another device announced the loser. The server may still not
  /// know what the loser had absorbed here.
  private func announce(_ merge: DuplicateMerge, _ winner: NSManagedObject, _ name: String) throws {
    // No other device knows a new object.
    guard !name.isEmpty else { return }
    let known = try mirror.ledger.mergedDuplicates(of: [record(merge.loser)]).values.first ?? []
    let own = (merge.isGone ? known.unsent.map(\.loser) : [merge.loser]).filter { $0 != name }
    guard !own.isEmpty else { return }
    let others = known.map(\.loser).filter { $0 != name && !own.contains($0) }
    let identifier = try record(name)
    let duplicates =
      others.map { MergedDuplicate(winner: identifier, loser: $0, isSent: true) }
      + own.map {
        MergedDuplicate(winner: identifier, loser: $0, constraint: merge.constraint, isSent: false)
      }
    let key = winner.objectID.rowKey
    let attributes = mirror.ordinals(Set(merge.constraint), of: key)
    for duplicate in duplicates { announcements.append((duplicate, key, attributes)) }
  }

  /// Returns the journal entry of both contents, with the unique values taken from the loser.
  private func journalEntry(
    _ loser: NSManagedObject, _ merge: DuplicateMerge, _ winner: NSManagedObject, _ name: String
  ) throws -> JournalEntry {
    let (key, other) = (loser.objectID.rowKey, winner.objectID.rowKey)
    let names = try [key: merge.loser, other: name].mapValues { try record($0) }
    var contents = try ObjectReader(mirror: mirror, context: context).contents(
      of: [key: loser, other: winner], names: names)
    for (attribute, value) in merge.taken ?? [:] where value != .null {
      contents[key]?.values[attribute] = value
    }
    return JournalEntry(
      date: mirror.now, object: key, property: "",
      kept: contents[other].flatMap(JournalValue.bytes),
      overwritten: contents[key].flatMap(JournalValue.bytes), keptIsOurs: false, author: nil)
  }

  // MARK: Missing records

  /// Removes a loser after its record and the winner's are gone.
  ///
  /// If the loser had absorbed others, unknown to the server, its relationships move to the object
  /// that has its values, or to a new copy.
  private func settleGone(_ loser: NSManagedObject, _ merge: DuplicateMerge) throws {
    if merge.absorbedUnsent, let taken = merge.taken {
      let values = try loser.objectValues(taken)
      if !values.isEmpty, let owner = try owner(of: values, loser.entity), owner !== loser {
        let name = try mirror.ledger.records(of: [owner.objectID.rowKey])[owner.objectID.rowKey]?
          .identifier.recordName
        _ = try mergeLoser(loser, merge, inFavourOf: owner, name ?? "")
        return
      }
      if try stillStandsIn(merge) {
        try carryOver(loser, merge, to: try copy(loser, values), "")
      }
    }
    context.delete(loser)
  }

  private func stillStandsIn(_ merge: DuplicateMerge) throws -> Bool {
    let loser = try record(merge.loser)
    return try mirror.ledger.mergedDuplicates(of: [loser])[loser]?.unsent.isEmpty == false
  }

  /// Returns a new object with the attributes of another one.
  private func copy(_ object: NSManagedObject, _ unique: [String: Any]) throws -> NSManagedObject {
    let copy = NSEntityDescription.insertNewObject(
      forEntityName: object.entity.name ?? "", into: context)
    context.assign(copy, to: try mirror.store())
    for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
    where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
      copy.replaceValue(of: name, by: unique[name] ?? object.primitiveValue(forKey: name))
    }
    return copy
  }

  /// Gives a loser its values back, because the winner is gone or no longer has them.
  ///
  /// If another object has them, the loser merges into it. If the loser got other values, it keeps
  /// them.
  private func giveBack(
    _ taken: [String: MirrorValue], to loser: NSManagedObject, _ merge: DuplicateMerge
  ) throws -> JournalEntry? {
    guard loser.mirroredValues(of: merge.constraint).values.allSatisfy({ $0 == .null })
    else { return nil }
    let values = try loser.objectValues(taken)
    // The model may lack the attributes, or another merge gave them back.
    guard !values.isEmpty else { return nil }
    if let owner = try owner(of: values, loser.entity), owner !== loser {
      guard let name = try mirror.ledger.records(of: [owner.objectID.rowKey])[owner.objectID.rowKey]
      else { return nil }
      return try mergeLoser(loser, merge, inFavourOf: owner, name.identifier.recordName)
    }
    for (attribute, value) in values.sorted(by: { $0.key < $1.key }) {
      loser.replaceValue(of: attribute, by: value)
    }
    return nil
  }

  /// Returns the object with these values.
  private func owner(of values: [String: Any], _ entity: NSEntityDescription) throws
    -> NSManagedObject?
  {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = entity
    // Another store may have an object with the same values.
    request.affectedStores = [try mirror.store()]
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
      let rows = try mirror.ledger.records(of: keys)
      related[relationship] = keys.compactMap { rows[$0]?.identifier.recordName }
    }
    return UniqueObject(entity: object.entity.name ?? "", recordName: name, related: related)
  }

  private func relate(_ object: NSManagedObject, _ relationship: String, to names: [String]) throws
  {
    let identifiers = try names.map(record)
    let rows = try mirror.ledger.subjects(of: identifiers)
    let keys = identifiers.compactMap { rows[$0]?.subject.object }
    let found = try ObjectReader(mirror: mirror, context: context).objects(keys)
    let members = keys.compactMap { found[$0] }
    object.replaceValue(of: relationship, by: value(members, object, relationship))
  }

  private func value(
    _ members: [NSManagedObject], _ object: NSManagedObject, _ relationship: String
  ) -> Any? {
    guard let description = object.entity.relationshipsByName[relationship], description.isToMany
    else { return members.first }
    return description.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
  }
}

extension NSManagedObject {
  /// Returns the values of attributes, in the form that is recorded.
  func mirroredValues(of attributes: [String]) -> [String: MirrorValue] {
    var values: [String: MirrorValue] = [:]
    for attribute in attributes {
      guard let type = entity.attributesByName[attribute]?.attributeType else { continue }
      values[attribute] = value(forKey: attribute).flatMap { MirrorValue($0, as: type) } ?? .null
    }
    return values
  }

  /// Converts recorded values to those of objects, and omits attributes that the model lacks.
  fileprivate func objectValues(_ noted: [String: MirrorValue]) throws -> [String: Any] {
    var values: [String: Any] = [:]
    for (attribute, value) in noted {
      guard let type = entity.attributesByName[attribute]?.attributeType else { continue }
      values[attribute] = try value.object(as: type)
    }
    return values
  }

  /// Sets a property without the program's own accessor.
  func replaceValue(of property: String, by value: Any?) {
    willChangeValue(forKey: property)
    setPrimitiveValue(value, forKey: property)
    didChangeValue(forKey: property)
  }
}
