import CloudKitClient
import CloudRecords
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Finds the records of a page whose objects the ledger has in other zones.
struct RecordMoves {
  /// A record that an object has left, or that lost against the object's other record.
  struct Stray {
    /// The object's row; nil if the user deleted the object after it moved.
    let row: LedgerRecord?
    /// The record's deferred item; nil if this device sees the record for the first time.
    let former: DeferredItem?
    /// Whether another device moved the object, and deletes the record.
    let isLeftToMover: Bool
  }

  /// The rows of objects that the records replace or refer to, by record.
  private(set) var rows: [RecordIdentifier: LedgerRecord] = [:]
  private(set) var strays: [RecordIdentifier: Stray] = [:]
  /// The former records to delete.
  private(set) var left: [DeferredItem] = []
  /// The former records that belong to their objects again.
  private(set) var returned: [DeferredItem] = []

  /// Finds records that the ledger does not have in their zones.
  init(_ places: [RecordIdentifier], _ received: [ReceivedRecord], at mirror: MirrorStore) throws {
    let elsewhere = try mirror.ledger.sharedZones.subjectsElsewhere(of: places)
    guard try !elsewhere.isEmpty || mirror.ledger.sharedZones.isAny() else { return }
    let formers = Dictionary(
      try mirror.ledger.deferred([.former], ofRecords: places).compactMap { item in
        item.record.map { ($0, item) }
      }, uniquingKeysWith: { first, _ in first })
    let received = Dictionary(
      received.map { ($0.identifier, $0) }, uniquingKeysWith: { _, last in last })
    for (place, former) in formers where elsewhere[place] == nil && received[place] != nil {
      strays[place] = Stray(row: nil, former: former, isLeftToMover: false)
    }
    for (place, row) in elsewhere {
      let former = formers[place]
      guard let record = received[place] else {
        rows[place] = row
        continue
      }
      let decision = RecordPlace(zone: place.zone, moves: record.moves).decision(
        over: RecordPlace(zone: row.identifier.zone, moves: row.moves),
        isPresentSaved: row.tag != nil, isPresentSent: row.isSent,
        isFormer: former != nil, home: mirror.homeZone)
      guard case .takesPlace(let leavesPresent) = decision else {
        let isLeft = decision == .isStray(isLeftToMover: true)
        strays[place] = Stray(row: row, former: former, isLeftToMover: isLeft)
        continue
      }
      rows[place] = row
      if let former { returned.append(former) }
      if leavesPresent {
        left.append(DeferredItem(.former, .record(row.identifier), reason: row.tag))
      }
    }
  }
}

/// Applies records in zones other than those of their objects.
struct StrayRecords {
  let owner: MirrorImport

  private var mirror: MirrorStore { owner.mirror }

  /// Finds the ledger's rows that have the records' names in other zones.
  func lookUp(_ places: [RecordIdentifier]) throws {
    let moves = try RecordMoves(
      places.filter { owner.known[$0] == nil }, owner.received, at: mirror)
    owner.moves = moves
    try owner.bringIn(moves.rows.values + moves.strays.values.compactMap(\.row))
    for (place, row) in moves.rows {
      owner.known[place] = row
      owner.objects[place] = owner.objects[row.identifier]
    }
    // References to strays lead to their objects, too.
    for (place, stray) in moves.strays {
      owner.objects[place] = stray.row.flatMap { owner.objects[$0.identifier] }
    }
  }

  /// Finds targets that arrived in other zones than references expected.
  func findTargets(of references: [DeferredItem], among made: [RecordIdentifier]) {
    let places = Dictionary(grouping: made, by: \.recordName)
    for target in references.compactMap(\.target) where owner.objects[target] == nil {
      let place = places[target.recordName]?.first {
        mirror.ledger.sharedZones.areRelated($0.zone, target.zone)
      }
      owner.objects[target] = place.flatMap { owner.objects[$0] }
    }
  }

  /// Returns the object of a record, whatever zone it is in now.
  func object(_ record: RecordIdentifier) throws -> NSManagedObject? {
    if let known = owner.objects[record] { return known }
    let rows = try mirror.ledger.sharedZones.subjectsAnywhere(of: [record])
    guard let row = rows[record] else { return nil }
    try owner.bringIn([row])
    return owner.objects[row.identifier]
  }

  /// Returns the object of a record name, received in any zone or known to the ledger.
  func object(named name: String) throws -> NSManagedObject? {
    for record in owner.received where record.identifier.recordName == name {
      if let object = owner.objects[record.identifier] { return object }
    }
    return try object(try mirror.ledger.sharedZones.record(named: name))
  }

  /// Sends the number of moves of an object's record, because the server's is smaller.
  func sendMoves(of object: NSManagedObject) {
    let key = object.objectID.rowKey
    guard let entity = mirror.schema[object.entity.name ?? ""],
      let ordinal = mirror.ordinals(entity.sentProperties, of: key).ordinals.first
    else { return }
    owner.changes.hooked[key, default: OrdinalSet()].insert(ordinal)
  }

  /// Applies other devices' changes of a record that the object has left; they are sent with the
  /// new record.
  func absorb(_ received: ReceivedRecord, _ stray: RecordMoves.Stray) throws {
    guard stray.former?.reason != received.tag || stray.former == nil, !stray.isLeftToMover else {
      return
    }
    owner.changes.resolve([.former], .record(received.identifier))
    owner.changes.deferred.append(
      .former(
        received.identifier, tag: received.tag, received.digests, of: stray.row?.subject.object,
        mirror.ledger))
    guard let former = stray.former, let row = stray.row, let key = row.subject.object,
      row.pending != .deletion, case .object(let decoded) = received.meaning,
      let object = owner.objects[row.identifier], object.entity.name == decoded.entity.name
    else { return }
    guard let local = try owner.contents([row])[key] else { return }
    let told = decoded.determinedProperties
    let taken = StrayEdits.properties(
      former: mirror.names(former.digests(mirror.ledger, of: key), of: key),
      present: decoded.entity.digests(of: told, in: decoded.content),
      local: decoded.entity.digests(of: told, in: local))
    guard !taken.isEmpty else { return }
    owner.context.detectConflicts(for: object)
    owner.write(decoded.content, taken, of: decoded.entity, received, into: object)
    owner.changes.hooked[key, default: OrdinalSet()].formUnion(mirror.ordinals(taken, of: key))
  }

  /// Returns the properties that win locally, and the digests of the record's former values.
  ///
  /// An object may arrive in a zone where it left a record earlier, on this device or another one.
  /// Then all properties that differ from the record as it was left are ours. The same holds if
  /// another device has also moved the object there, and its record arrived first.
  func changes(
    of row: LedgerRecord, _ received: ReceivedRecord, _ key: RowKey, _ waiting: Set<String>,
    _ entity: MirrorEntity, in local: ObjectContent
  ) throws -> (former: [String: UInt64], ours: Set<String>, isReturned: Bool) {
    let isFirst = owner.page.isConflict && row.moves == received.moves && row.earlier == nil
    let left = row.moves > 0 && isFirst ? try formers(of: row.identifier).first : nil
    if row.pending == .insertion, row.moves > received.moves || left != nil {
      let item = try left ?? mirror.ledger.deferred([.former], ofRecords: [row.identifier]).first
      let former = mirror.names(item?.digests(mirror.ledger, of: key) ?? [:], of: key)
      let all = Set(entity.sentProperties)
      return (former, entity.properties(of: all, in: local, unlike: former), true)
    }
    let former = mirror.names(row.digests, of: key)
    let ours =
      row.isChangeUnknown ? entity.properties(of: waiting, in: local, unlike: former) : waiting
    return (former, ours, false)
  }

  /// Returns the records that an object left in other zones.
  private func formers(of record: RecordIdentifier) throws -> [DeferredItem] {
    let shared = mirror.ledger.sharedZones
    let zones = try [mirror.homeZone] + shared.identifiers()
    let records = zones.filter { $0 != record.zone && shared.areRelated($0, record.zone) }.map {
      RecordIdentifier(recordName: record.recordName, zone: $0)
    }
    return try mirror.ledger.deferred([.former], ofRecords: records)
  }

  /// Whether an object stays although one of its records was deleted, because it has left the
  /// record or is moving to its zone.
  ///
  /// If the object left the record by an unsent move, and no other former record is known, another
  /// device deleted the object.
  func survives(deletionOf record: RecordIdentifier, _ row: LedgerRecord) throws -> Bool {
    if row.moves > 0, row.pending == .insertion, row.tag == nil {
      let isLeft = try !mirror.ledger.deferred([.former], ofRecords: [record]).isEmpty
      return try !isLeft || !formers(of: record).isEmpty
    }
    guard row.identifier == record else { return true }
    // The former record is kept until the move is finished.
    return try row.moves > 0 && row.pending == .update && !formers(of: record).isEmpty
  }

  /// Whether a record replaces another of its pair by its zone; nil if the zones do not decide.
  func stands(
    _ identifier: RecordIdentifier, inPlaceOf present: RecordIdentifier, for pair: PairKey
  )
    throws -> Bool?
  {
    guard identifier.zone != present.zone else { return nil }
    let subject = OutboxEntry.Subject.object(pair.first)
    let zone =
      try owner.changes.records.last { $0.subject == subject }?.identifier.zone
      ?? mirror.ledger.records(of: [pair.first])[pair.first]?.identifier.zone
    if zone == identifier.zone { return true }
    return zone == present.zone ? false : nil
  }
}
