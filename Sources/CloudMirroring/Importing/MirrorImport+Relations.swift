import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// References, pairs and orders.
extension MirrorImport {
  /// Sets references, and parks those whose target has not come.
  func relate() throws {
    for relation in relations {
      for reference in relation.entity.references
      where relation.properties.contains(reference.property) {
        let name = relation.content.references[reference.property]
        unpark(reference.property, of: relation.object, in: relation.zone)
        guard reference.decides else { continue }
        try set(reference, of: relation, to: name)
      }
    }
  }

  /// What a reference has waited for so far counts no more.
  private func unpark(_ property: String, of object: NSManagedObject, in zone: RecordZoneIdentifier)
  {
    let key = object.objectID.rowKey
    guard !object.isInserted, let ordinal = site.layouts[key.layoutIndex].ordinal(of: property)
    else { return }
    changes.unparked.append(
      ParkedReference(
        source: key, ordinal: ordinal, target: RecordIdentifier(recordName: "", zone: zone)))
  }

  private func set(_ reference: MirrorReference, of relation: Relation, to name: String?) throws {
    let (property, object) = (reference.property, relation.object)
    let own = RecordIdentifier(recordName: relation.content.recordName, zone: relation.zone)
    guard let name, !name.isEmpty else { return try clear(reference, of: object, own) }
    let target = RecordIdentifier(recordName: name, zone: relation.zone)
    guard reference.decides(own, over: target) else { return try clear(reference, of: object, own) }
    if let destination = objects[target], try !yields(object, property, destination) {
      return set(property, of: object, to: destination)
    }
    try clear(reference, of: object, own)
    if objects[target] != nil { return park(property, of: object, for: target, isClaim: true) }
    // Where the ledger knows the target, it was deleted here: the reference leads nowhere, as it
    // will there, unless it comes back.
    guard known[target].map(mayComeBack) ?? true else { return }
    park(property, of: object, for: target)
  }

  /// Lets a reference lead nowhere, unless the record of whom it leads to decides on that.
  private func clear(
    _ reference: MirrorReference, of object: NSManagedObject, _ own: RecordIdentifier
  ) throws {
    if reference.isItsOwnInverse,
      let holderID = object.objectIDs(forRelationshipNamed: reference.property).first,
      let holder = try name(of: context.object(with: holderID)),
      !reference.decides(own, over: holder)
    {
      return
    }
    set(reference.property, of: object, to: nil)
  }

  private func park(
    _ property: String, of object: NSManagedObject, for target: RecordIdentifier,
    isClaim: Bool = false
  ) {
    let key = object.objectID.rowKey
    guard let ordinal = site.layouts[key.layoutIndex].ordinal(of: property) else { return }
    changes.parked.append(
      ParkedReference(source: key, ordinal: ordinal, target: target, isClaim: isClaim))
  }

  private func set(_ property: String, of object: NSManagedObject, to destination: NSManagedObject?)
  {
    // A record may name one of another type: such a reference leads nowhere that this model knows.
    guard destination.map({ object.admits($0, as: property) }) ?? true else { return }
    guard object.primitiveValue(forKey: property) as? NSManagedObject !== destination else {
      return
    }
    object.willChangeValue(forKey: property)
    object.setPrimitiveValue(destination, forKey: property)
    object.didChangeValue(forKey: property)
  }

  // MARK: What was parked

  /// Sets what has waited for objects that are there now.
  func joinParked(to made: [RecordIdentifier]) throws {
    guard !made.isEmpty else { return }
    let references = try site.ledger.parkedReferences(to: made)
    let sources = try ObjectReader(site: site, context: context).objects(references.map(\.source))
    let told = references.isEmpty ? [:] : toldReferences
    for reference in references {
      let property = site.layouts[reference.source.layoutIndex].properties[reference.ordinal].name
      // What a record of this page says anew of the reference was set; a record that says the same
      // as before leaves it waiting.
      guard told[reference.source]?.contains(property) != true else { continue }
      if let source = sources[reference.source], let target = objects[reference.target] {
        // It goes on waiting for who has the target to let it go.
        if try yields(source, property, target) {
          park(property, of: source, for: reference.target, isClaim: true)
          continue
        }
        set(property, of: source, to: target)
      }
      changes.unparked.append(reference)
    }
    for parked in try site.ledger.parkedPairs(for: made) { try join(parked) }
  }

  /// The properties that records of the page have written, by object.
  private var toldReferences: [RowKey: Set<String>] {
    Dictionary(
      relations.map { ($0.object.objectID.rowKey, $0.properties) },
      uniquingKeysWith: { $0.union($1) })
  }

  private func join(_ parked: ParkedPair) throws {
    try bringIn(try site.ledger.subjects(of: [parked.first, parked.second]).values)
    guard let first = objects[parked.first], let second = objects[parked.second] else { return }
    changes.unparkedPairs.append(parked.record)
    let isSymmetric =
      site.schema[parked.entity]?.joins[parked.relationship]?.join.isSymmetric ?? false
    let pair = MirrorSite.PairDirection(
      entity: parked.entity, relationship: parked.relationship, first: "", second: "",
      isSymmetric: isSymmetric
    ).key(first.objectID.rowKey, second.objectID.rowKey)
    guard try stands(parked.record, for: pair) else { return }
    add(second, to: parked.relationship, of: first)
    changes.records.append(
      LedgerChanges.Record(
        .pair(pair), parked.record, tag: parked.tag, systemFields: parked.systemFields))
    count += 1
  }

  // MARK: Pairs

  /// Joins the objects of a pair's record, or parks it.
  func join(_ pair: JoinPair, _ told: ToldRecord) throws {
    let identifier = told.identifier
    if let row = known[identifier], row.tag == told.tag, row.tag != nil, !page.isConflict { return }
    let zone = identifier.zone
    let direction = site.direction(of: pair)
    let first = RecordIdentifier(recordName: direction.first, zone: zone)
    let second = RecordIdentifier(recordName: direction.second, zone: zone)
    guard let one = objects[first], let other = objects[second] else {
      // An object that was deleted here takes its pairs with it.
      guard [first, second].contains(where: { known[$0].map(mayComeBack) ?? true }) else { return }
      changes.parkedPairs.append(
        ParkedPair(
          record: identifier, tag: told.tag, systemFields: told.systemFields,
          entity: direction.entity,
          relationship: direction.relationship, first: first, second: second))
      return
    }
    let key = direction.key(one.objectID.rowKey, other.objectID.rowKey)
    guard try stands(identifier, for: key) else { return }
    let subject = OutboxEntry.Subject.pair(key)
    if known[identifier]?.pending != .deletion { add(other, to: direction.relationship, of: one) }
    let isOurs = known[identifier]?.pending == .insertion
    changes.records.append(
      LedgerChanges.Record(
        subject, identifier, tag: told.tag, systemFields: told.systemFields,
        settled: isOurs ? .everything : .nothing))
    count += 1
  }

  private func add(_ member: NSManagedObject, to relationship: String, of object: NSManagedObject) {
    guard object.admits(member, as: relationship) else { return }
    if object.entity.relationshipsByName[relationship]?.isOrdered == true {
      object.mutableOrderedSetValue(forKey: relationship).add(member)
    } else {
      object.mutableSetValue(forKey: relationship).add(member)
    }
  }

  func take(_ member: NSManagedObject, outOf relationship: String, of object: NSManagedObject) {
    guard object.admits(member, as: relationship) else { return }
    if object.entity.relationshipsByName[relationship]?.isOrdered == true {
      object.mutableOrderedSetValue(forKey: relationship).remove(member)
    } else {
      object.mutableSetValue(forKey: relationship).remove(member)
    }
  }
}

extension MirrorSite {
  /// A pair in the direction in which the ledger keeps it, by the names of records.
  struct PairDirection {
    let entity: String
    let relationship: String
    let first: String
    let second: String
    let isSymmetric: Bool

    /// The pair, by the objects' keys.
    func key(_ one: RowKey, _ other: RowKey) -> PairKey {
      let isSwapped = isSymmetric && other.key < one.key
      return PairKey(
        entity: entity, relationship: relationship, first: isSwapped ? other : one,
        second: isSwapped ? one : other)
    }
  }

  func direction(of pair: JoinPair) -> PairDirection {
    let join = pair.join
    if ledger.tracks(join.firstRelationship, of: join.firstEntity) {
      return PairDirection(
        entity: join.firstEntity, relationship: join.firstRelationship, first: pair.first,
        second: pair.second,
        isSymmetric: join.isSymmetric)
    }
    return PairDirection(
      entity: join.secondEntity, relationship: join.secondRelationship, first: pair.second,
      second: pair.first,
      isSymmetric: join.isSymmetric)
  }
}

extension NSManagedObject {
  /// Whether an object can be what a relationship of this one leads to.
  fileprivate func admits(_ other: NSManagedObject, as relationship: String) -> Bool {
    guard let destination = entity.relationshipsByName[relationship]?.destinationEntity else {
      return false
    }
    return other.entity.isKindOf(entity: destination)
  }
}
