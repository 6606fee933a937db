import CloudRecords
import ManagedObjectModel
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Decides in which zone the records of a save belong, in its transaction.
///
/// Related objects are in one zone, because people who take part in a zone see that zone alone.
///
/// | a save relates | then |
/// |---|---|
/// | an object without a zone of a share, and a shared one | it moves to the zone of the share |
/// | a known object, by its own to-one relationship, to one in another zone | it follows |
/// | objects of two shares | the save is refused |
///
/// An object that moves takes all related objects along. A store without shares skips all this.
struct ZoneAssignment {
  private let graph: ObjectGraph
  private let names: LedgerNames
  private let connection: Connection
  private let homeZone: Int64
  private let group: Int64
  private let seam: LedgerSeam?
  private let zones: [Int64: RecordZoneIdentifier]
  /// The zones of own shares that ended: their objects are on their way to the home zone.
  private let ended: Set<Int64>

  /// Prepares for a save; nil if the store has the home zone alone.
  ///
  /// - Parameter leaving: A zone that ends, and that no object joins any more.
  init?(
    _ store: SQLiteRowStore, _ names: LedgerNames, homeZone: Int64, group: Int64,
    leaving: Int64? = nil, seam: LedgerSeam?, on connection: Connection
  ) throws {
    guard
      try connection.number(
        "SELECT 1 FROM PHM_ZONE WHERE number <> ?1 LIMIT 1", [.integer(homeZone)]) != nil
    else { return nil }
    graph = ObjectGraph(store, names, connection)
    (self.names, self.connection) = (names, connection)
    (self.homeZone, self.group, self.seam) = (homeZone, group, seam)
    zones = try connection.zones()
    // Of others' shares, the objects may come before the share.
    let areOwn = zones[homeZone].map { !$0.zoneName.isEmpty } ?? true
    ended = (areOwn ? try connection.zoneNumbers("share IS NULL") : []).union(
      leaving.map { [$0] } ?? [])
  }

  // MARK: Permission

  /// Refuses changes of objects in zones that the user may only read.
  func checkPermission(_ changes: StoreChanges) throws {
    let readOnly = try connection.zoneNumbers("readonly")
    guard !readOnly.isEmpty else { return }
    let changed =
      changes.updated.map { RowKey(key: $0.row.key, layoutIndex: Int32($0.layout.index)) }
      + changes.deleted.map { RowKey(key: $0.key, layoutIndex: Int32($0.layout.index)) }
      + changes.memberships.flatMap { change in
        [RowKey(key: change.owner, layoutIndex: Int32(change.layout.index))] + change.added
          + change.removed
      }
    for object in changed {
      if let zone = try zone(of: object), readOnly.contains(zone) {
        throw SharingError.readOnly(object, in: identifier(zone))
      }
    }
    for row in changes.inserted {
      let object = RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index))
      for other in try graph.neighbours(of: object) {
        if let zone = try zone(of: other), readOnly.contains(zone) {
          throw SharingError.readOnly(object, in: identifier(zone))
        }
      }
    }
  }

  // MARK: Zones

  /// Moves what the save has related to objects of other zones.
  func assign(_ changes: StoreChanges) throws {
    for row in changes.inserted {
      try join(RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index)))
    }
    for row in changes.updated {
      let object = RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index))
      for ordinal in row.changed.ordinals {
        guard let relationship = row.layout.properties[ordinal] as? NSRelationshipDescription,
          !relationship.isToMany
        else { continue }
        for target in try graph.neighbours(of: object, along: ordinal) {
          try follow(object, target)
        }
      }
    }
    for change in changes.memberships where !change.added.isEmpty {
      try join(RowKey(key: change.owner, layoutIndex: Int32(change.layout.index)))
    }
  }

  /// Moves what an import has related to objects of other zones: others related or moved it while
  /// they did not know of each other.
  ///
  /// Objects only move from the home zone to shares here, so devices that do this at once agree.
  ///
  /// - Parameter moved: The objects whose records have moved.
  func assignImported(_ changes: StoreChanges, moved: [RowKey]) throws {
    var objects = moved
    for row in changes.inserted + changes.updated {
      let object = RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index))
      guard let own = try zone(of: object) else { continue }
      let isNew = row.changed.isEmpty
      for ordinal in row.layout.properties.indices where isNew || row.changed.contains(ordinal) {
        guard let relationship = row.layout.properties[ordinal] as? NSRelationshipDescription,
          !relationship.isToMany,
          try graph.neighbours(of: object, along: ordinal).contains(where: {
            try zone(of: $0).map { $0 != own } ?? false
          })
        else { continue }
        objects.append(object)
        break
      }
    }
    for change in changes.memberships where !change.added.isEmpty {
      objects.append(RowKey(key: change.owner, layoutIndex: Int32(change.layout.index)))
    }
    try joinAll(objects)
  }

  /// Brings objects into the zones of shares that they are related to.
  ///
  /// Objects of two shares stay as they are: the next save that concerns them says so.
  func joinAll(_ objects: [RowKey]) throws {
    for object in objects { do { try join(object) } catch is SharingError {} }
  }

  /// Lets an object follow one that it has been related to.
  private func follow(_ object: RowKey, _ target: RowKey) throws {
    try carryOut(rules.follow(object, target))
  }

  /// Brings an object and everything that it is related to into one zone.
  private func join(_ object: RowKey) throws { try carryOut(rules.join(object)) }

  private var rules: ZoneRules<Self> { ZoneRules(self) }

  private func carryOut(_ decision: ZoneDecision<RowKey, Int64>) throws {
    switch decision {
    case .stays: break
    case .moves(let objects, let zone): try move(objects, to: zone)
    case .isOfTwoShares(let one, let zone, let other, let second):
      throw SharingError.twoShares(one, identifier(zone), other, identifier(second))
    }
  }

  private func move(_ objects: [RowKey], to zone: Int64) throws {
    _ = try ZoneMoves(names, connection, seam).move(objects, to: zone) { _, _ in group }
  }

  private func identifier(_ zone: Int64) -> RecordZoneIdentifier {
    zones[zone] ?? RecordZoneIdentifier(zoneName: "", ownerName: "")
  }
}

extension ZoneAssignment: ZonedObjects {
  func neighbours(of object: RowKey) throws -> [RowKey] { try graph.neighbours(of: object) }

  func isHome(_ zone: Int64) -> Bool { zone == homeZone || ended.contains(zone) }

  /// The zone of an object; nil if it is not mirrored.
  func zone(of object: RowKey) throws -> Int64? {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return nil }
    return try connection.number(
      "SELECT zone FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2",
      [.integer(entity), .integer(object.key)])
  }

  /// Whether a server may have an object.
  func isKnown(_ object: RowKey) throws -> Bool {
    guard let entity = names.entity(Int(object.layoutIndex)) else { return false }
    return try connection.number(
      "SELECT reach FROM PHM_OBJECT WHERE entity = ?1 AND key = ?2",
      [.integer(entity), .integer(object.key)]) ?? 0 > 0
  }
}

extension Connection {
  /// The numbers of the zones that meet a condition.
  fileprivate func zoneNumbers(_ condition: String) throws -> Set<Int64> {
    var numbers: Set<Int64> = []
    var statement = try prepare("SELECT number FROM PHM_ZONE WHERE \(condition)")
    while try statement.step() { numbers.insert(statement.row.int64(at: 0)) }
    return numbers
  }
}
