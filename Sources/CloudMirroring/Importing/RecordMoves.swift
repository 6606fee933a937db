import CloudKitClient
import CloudRecords
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// Records that move between zones.
///
/// A record keeps its name when it moves, and counts its moves. Of two records of a name, the one
/// that moved more often is the object's. If two devices moved an object at once, a share wins over
/// the home zone, and of two shares the one whose zone has the smaller name; the other record is
/// deleted. Devices see both records in any order, and all decide the same.
/// Decides which records of a page belong to objects that the ledger has in other zones.
struct RecordMoves {
  /// A record that an object has left, or that lost against another one.
  struct Stray {
    let row: LedgerRecord
    /// The item of the record; nil if this device sees it for the first time.
    let former: DeferredItem?
  }

  /// The rows that records take the place of, or that references lead to, by the records.
  private(set) var rows: [RecordIdentifier: LedgerRecord] = [:]
  private(set) var strays: [RecordIdentifier: Stray] = [:]
  /// The former records to delete.
  private(set) var left: [DeferredItem] = []
  /// The former records that stand for their objects again.
  private(set) var returned: [DeferredItem] = []

  /// Looks for records that the ledger does not have in their zones.
  init(_ places: [RecordIdentifier], _ received: [ReceivedRecord], at site: MirrorSite) throws {
    let elsewhere = try site.ledger.sharedZones.subjectsElsewhere(of: places)
    guard !elsewhere.isEmpty else { return }
    let formers = Dictionary(
      try site.ledger.deferred([.former], ofRecords: elsewhere.keys.sorted()).compactMap { item in
        item.record.map { ($0, item) }
      }, uniquingKeysWith: { first, _ in first })
    let received = Dictionary(
      received.map { ($0.identifier, $0) }, uniquingKeysWith: { _, last in last })
    for (place, row) in elsewhere {
      let former = formers[place]
      guard let record = received[place] else {
        rows[place] = row
        continue
      }
      guard record.takesPlace(of: row, at: site, former) else {
        strays[place] = Stray(row: row, former: former)
        continue
      }
      rows[place] = row
      if let former { returned.append(former) }
      // The device that moved the record deletes the former one, except after two moves at once.
      if row.tag != nil, record.moves != row.moves + 1 {
        left.append(DeferredItem(.former, .record(row.identifier), reason: row.tag))
      }
    }
  }
}

/// Takes over records in zones that are not those of their objects.
struct StrayRecords {
  let owner: MirrorImport

  private var site: MirrorSite { owner.site }

  /// Finds rows that have the names of records in other zones.
  func lookUp(_ places: [RecordIdentifier]) throws {
    let moves = try RecordMoves(places.filter { owner.known[$0] == nil }, owner.received, at: site)
    owner.moves = moves
    try owner.bringIn(moves.rows.values + moves.strays.values.map(\.row))
    for (place, row) in moves.rows {
      // A deletion does not concern an object that left the zone. References still lead to it.
      if !owner.gone.contains(place) { owner.known[place] = row }
      owner.objects[place] = owner.objects[row.identifier]
    }
    // References lead to the objects of strays, too.
    for (place, stray) in moves.strays {
      owner.objects[place] = owner.objects[stray.row.identifier]
    }
  }

  /// Finds targets that came in other zones than references expected.
  func findTargets(of references: [DeferredItem], among made: [RecordIdentifier]) {
    let places = Dictionary(
      made.map { ($0.recordName, $0) }, uniquingKeysWith: { first, _ in first })
    for target in references.compactMap(\.target) where owner.objects[target] == nil {
      owner.objects[target] = places[target.recordName].flatMap { owner.objects[$0] }
    }
  }

  /// The object of a record, in whatever zone it is by now.
  func object(_ record: RecordIdentifier) throws -> NSManagedObject? {
    if let known = owner.objects[record] { return known }
    let rows = try site.ledger.sharedZones.subjectsAnywhere(of: [record])
    guard let row = rows[record] else { return nil }
    try owner.bringIn([row])
    return owner.objects[row.identifier]
  }

  /// The object of a name: one that was received, in whatever zone, or one that the ledger knows.
  func object(named name: String) throws -> NSManagedObject? {
    for record in owner.received where record.identifier.recordName == name {
      if let object = owner.objects[record.identifier] { return object }
    }
    return try object(try site.ledger.sharedZones.record(named: name))
  }

  /// Sends how often an object's record moved: the server's version counts less.
  func sendMoves(of object: NSManagedObject) {
    let key = object.objectID.rowKey
    guard let entity = site.schema[object.entity.name ?? ""],
      let ordinal = site.ordinals(entity.sentProperties, of: key).ordinals.first
    else { return }
    owner.changes.hooked[key, default: OrdinalSet()].insert(ordinal)
  }

  /// Takes over what others changed in a record that the object has left: it goes to the new one.
  func absorb(_ received: ReceivedRecord, _ stray: RecordMoves.Stray) throws {
    guard stray.former?.reason != received.tag || stray.former == nil else { return }
    owner.changes.resolve([.former], .record(received.identifier))
    owner.changes.deferred.append(
      .former(
        received.identifier, tag: received.tag, received.digests, of: stray.row.subject.object,
        site.ledger))
    guard let former = stray.former, let key = stray.row.subject.object,
      stray.row.pending != .deletion, case .object(let decoded) = received.meaning,
      let object = owner.objects[stray.row.identifier], object.entity.name == decoded.entity.name
    else { return }
    let digests = site.names(former.digests(site.ledger, of: key), of: key)
    guard !digests.isEmpty else { return }
    let edited = decoded.entity.digests(of: decoded.toldProperties, in: decoded.content).filter {
      digests[$0.key] != $0.value
    }
    let taken = Set(edited.keys).subtracting(site.names(stray.row.changed, of: key))
    guard !taken.isEmpty else { return }
    owner.context.detectConflicts(for: object)
    owner.write(decoded.content, taken, of: decoded.entity, received, into: object)
    owner.changes.hooked[key, default: OrdinalSet()].formUnion(site.ordinals(taken, of: key))
  }

  /// Whether a record stands for a pair, and not another one: the one in the zone of its objects.
  func stands(
    _ identifier: RecordIdentifier, inPlaceOf present: RecordIdentifier, for pair: PairKey
  )
    throws -> Bool?
  {
    guard identifier.zone != present.zone else { return nil }
    let subject = OutboxEntry.Subject.object(pair.first)
    let zone =
      try owner.changes.records.last { $0.subject == subject }?.identifier.zone
      ?? site.ledger.records(of: [pair.first])[pair.first]?.identifier.zone
    if zone == identifier.zone { return true }
    return zone == present.zone ? false : nil
  }
}

extension ReceivedRecord {
  /// Whether a record is the object's, and not the one in another zone that the ledger has.
  fileprivate func takesPlace(
    of row: LedgerRecord, at site: MirrorSite, _ former: DeferredItem?
  ) -> Bool {
    if moves != row.moves { return moves > row.moves }
    if former != nil { return false }
    let isHome = identifier.zone == site.homeZone
    if isHome || row.identifier.zone == site.homeZone { return !isHome }
    return identifier.zone < row.identifier.zone
  }
}

extension LedgerRecord {
  /// Whether the record is about to come back to a zone: a deletion there was its leaving.
  var isReturning: Bool { moves > 0 && pending == .insertion && isUnsent }
}
