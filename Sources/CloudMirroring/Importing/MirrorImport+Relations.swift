import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// References and pairs.
extension MirrorImport {
  /// Sets references, and defers those whose target has not arrived.
  func relate() throws {
    for relation in relations {
      for reference in relation.entity.references
      where relation.properties.contains(reference.property) {
        let name = relation.content.references[reference.property]
        resolve(reference.property, of: relation.object)
        guard reference.decides else { continue }
        try set(reference, of: relation, to: name)
      }
    }
  }

  /// Drops the deferred items of a reference.
  private func resolve(_ property: String, of object: NSManagedObject) {
    let key = object.objectID.rowKey
    guard !object.isInserted, let ordinal = mirror.layouts[key.layoutIndex].ordinal(of: property)
    else { return }
    changes.resolve(DeferredItem.Kind.references, .property(key, ordinal: ordinal))
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
    if objects[target] != nil {
      return deferReference(property, of: object, for: target, isContested: true)
    }
    // A known target was deleted here, so it stays missing unless it may come back.
    guard known[target].map(mayComeBack) ?? true else { return }
    deferReference(property, of: object, for: target)
  }

  /// Clears a reference, unless the target's record decides.
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

  private func deferReference(
    _ property: String, of object: NSManagedObject, for target: RecordIdentifier,
    isContested: Bool = false
  ) {
    let key = object.objectID.rowKey
    guard let ordinal = mirror.layouts[key.layoutIndex].ordinal(of: property) else { return }
    changes.deferred.append(.reference(key, ordinal, to: target, isContested: isContested))
  }

  private func set(_ property: String, of object: NSManagedObject, to destination: NSManagedObject?)
  {
    // A record may name a target of an entity that this model's relationship does not allow.
    guard destination.map({ object.admits($0, as: property) }) ?? true else { return }
    guard object.primitiveValue(forKey: property) as? NSManagedObject !== destination else {
      return
    }
    object.willChangeValue(forKey: property)
    object.setPrimitiveValue(destination, forKey: property)
    object.didChangeValue(forKey: property)
  }

  // MARK: Deferred items

  /// Applies items that waited for objects that now exist.
  func applyDeferred(dependingOn made: [RecordIdentifier]) throws {
    guard !made.isEmpty else { return }
    let references = try mirror.ledger.sharedZones.deferred(
      DeferredItem.Kind.references, dependingOn: made)
    StrayRecords(owner: self).findTargets(of: references, among: made)
    let sources = try ObjectReader(mirror: mirror, context: context).objects(
      references.compactMap { $0.property?.object })
    let received = references.isEmpty ? [:] : receivedReferences
    for reference in references {
      guard let (object, ordinal) = reference.property, let record = reference.target else {
        continue
      }
      let property = mirror.layouts[object.layoutIndex].properties[ordinal].name
      guard received[object]?.contains(property) != true else { continue }
      if let source = sources[object], let target = objects[record] {
        if try yields(source, property, target) {
          deferReference(property, of: source, for: record, isContested: true)
          continue
        }
        set(property, of: source, to: target)
      }
      changes.resolve(reference)
    }
    let pairs = try mirror.ledger.sharedZones.deferred([.pair], dependingOn: made).compactMap(
      DeferredPair.init)
    var joined: Set<RecordIdentifier> = []
    for pair in pairs where joined.insert(pair.record).inserted { try join(pair) }
  }

  /// The properties that the page's records contain, by object.
  private var receivedReferences: [RowKey: Set<String>] {
    Dictionary(
      relations.map { ($0.object.objectID.rowKey, $0.properties) },
      uniquingKeysWith: { $0.union($1) })
  }

  private func join(_ deferred: DeferredPair) throws {
    guard let first = try StrayRecords(owner: self).object(deferred.first),
      let second = try StrayRecords(owner: self).object(deferred.second)
    else { return }
    changes.resolve([.pair], .record(deferred.record))
    let isSymmetric =
      mirror.schema[deferred.entity]?.joins[deferred.relationship]?.join.isSymmetric ?? false
    let pair = MirrorStore.PairDirection(
      entity: deferred.entity, relationship: deferred.relationship, first: "", second: "",
      isSymmetric: isSymmetric
    ).key(first.objectID.rowKey, second.objectID.rowKey)
    guard try stands(deferred.record, for: pair) else { return }
    first.add(second, to: deferred.relationship)
    addRecord(
      LedgerChanges.Record(
        .pair(pair), deferred.record, tag: deferred.tag, systemFields: deferred.systemFields),
      of: pair)
  }

  // MARK: Pairs

  /// Joins the objects of a pair's record, or defers it.
  func join(_ pair: JoinPair, _ received: ReceivedRecord) throws {
    let identifier = received.identifier
    if let row = known[identifier], row.isSame(received), !page.isConflict { return }
    let zone = identifier.zone
    let direction = mirror.direction(of: pair)
    let first = RecordIdentifier(recordName: direction.first, zone: zone)
    let second = RecordIdentifier(recordName: direction.second, zone: zone)
    guard let one = objects[first], let other = objects[second] else {
      // The pairs of an object that was deleted here are deleted with it.
      guard [first, second].contains(where: { known[$0].map(mayComeBack) ?? true }) else { return }
      changes.deferred +=
        DeferredPair(
          record: identifier, tag: received.tag, systemFields: received.systemFields,
          entity: direction.entity, relationship: direction.relationship, first: first,
          second: second
        ).items
      return
    }
    let key = direction.key(one.objectID.rowKey, other.objectID.rowKey)
    guard try stands(identifier, for: key) else { return }
    let pending = known[identifier]?.pending
    let returns = page.returning.contains(identifier)
    if pending != .deletion || returns { one.add(other, to: direction.relationship) }
    addRecord(
      LedgerChanges.Record(
        .pair(key), identifier, tag: received.tag, systemFields: received.systemFields,
        settled: pending == .insertion || returns ? .everything : .nothing, moves: received.moves),
      of: key)
  }

  private func addRecord(_ record: LedgerChanges.Record, of pair: PairKey) {
    changes.records.append(record)
    pairRecords[pair, default: []].append(record.identifier)
    count += 1
  }
}

extension MirrorStore {
  /// A pair in the ledger's direction, by record names.
  struct PairDirection {
    let entity: String
    let relationship: String
    let first: String
    let second: String
    let isSymmetric: Bool

    /// Returns the key of the pair, from the objects' keys.
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
        second: pair.second, isSymmetric: join.isSymmetric)
    }
    return PairDirection(
      entity: join.secondEntity, relationship: join.secondRelationship, first: pair.second,
      second: pair.first, isSymmetric: join.isSymmetric)
  }
}

extension NSManagedObject {
  /// Adds a member to a to-many relationship.
  func add(_ member: NSManagedObject, to relationship: String) {
    guard admits(member, as: relationship) else { return }
    if entity.relationshipsByName[relationship]?.isOrdered == true {
      mutableOrderedSetValue(forKey: relationship).add(member)
    } else {
      mutableSetValue(forKey: relationship).add(member)
    }
  }

  /// Removes a member from a to-many relationship.
  func remove(_ member: NSManagedObject, from relationship: String) {
    guard admits(member, as: relationship) else { return }
    if entity.relationshipsByName[relationship]?.isOrdered == true {
      mutableOrderedSetValue(forKey: relationship).remove(member)
    } else {
      mutableSetValue(forKey: relationship).remove(member)
    }
  }

  /// Whether a relationship can lead to an object.
  fileprivate func admits(_ other: NSManagedObject, as relationship: String) -> Bool {
    guard let destination = entity.relationshipsByName[relationship]?.destinationEntity else {
      return false
    }
    return other.entity.isKindOf(entity: destination)
  }
}
