import CloudRecords
import ManagedObjectModel
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Decides the zones of a save's records, in the transaction of the save.
///
/// Related objects are in one zone, because participants of a share see only its zone.
///
/// | a save | then |
/// |---|---|
/// | relates an object of the home zone to a shared one | the former moves to the share's zone |
/// | sets a to-one relationship of a shared object to a sent home object | the former moves home |
/// | relates objects of two shares | the save fails |
///
/// Related objects also move. If another path leads to the home object, it is shared instead.
struct ZoneAssignment {
  private let graph: ObjectGraph
  private let zones: ZoneCache
  private let moves: ZoneMoves

  /// Prepares for a save; nil if the store has only the home zone.
  ///
  /// - Parameter leaving: A zone that its objects leave; they count as objects of the home zone.
  init?(
    _ store: SQLiteRowStore, _ names: LedgerNames, homeZone: Int64, group: Int64,
    leaving: Int64? = nil, on connection: Connection
  ) throws {
    guard try connection.number(SharedZones.anyOther, [.integer(homeZone)]) != nil else {
      return nil
    }
    graph = ObjectGraph(store, names, connection)
    zones = try ZoneCache(names, homeZone: homeZone, leaving: leaving, connection)
    moves = ZoneMoves(names, connection) { _, _ in group }
  }

  // MARK: Permission

  /// Throws if a save changes objects in zones that the user may only read.
  func checkPermission(_ changes: StoreChanges) throws {
    guard !zones.areOwn else { return }
    let changed =
      changes.updated.map { RowKey(key: $0.row.key, layoutIndex: Int32($0.layout.index)) }
      + changes.deleted.map { RowKey(key: $0.key, layoutIndex: Int32($0.layout.index)) }
      + changes.memberships.flatMap { change in
        [RowKey(key: change.owner, layoutIndex: Int32(change.layout.index))] + change.added
          + change.removed
      }
    for object in changed { try checkPermission(of: object, by: object) }
    for row in changes.inserted {
      let object = RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index))
      for other in try graph.neighbours(of: object) { try checkPermission(of: other, by: object) }
    }
  }

  private func checkPermission(of object: RowKey, by changed: RowKey) throws {
    guard let zone = try zones.zone(of: object), try zones.isReadOnly(zone) else { return }
    throw SharingError.readOnly(changed, in: try zones.identifier(zone))
  }

  // MARK: Zones

  /// Moves objects that the save has related to objects of other zones.
  ///
  /// If there are many, the first ones move at once and the others later (`MoveFrontier`).
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

  /// Moves objects that an import has related to objects of other zones: devices related and moved
  /// them without knowing of each other.
  ///
  /// Here objects only move from the home zone to shares, so devices that do this concurrently
  /// agree.
  ///
  /// - Parameters:
  ///   - moved: The objects whose records have moved.
  ///   - pairs: The pairs whose records the import has.
  func assignImported(_ changes: StoreChanges, moved: [RowKey], pairs: [PairKey]) throws {
    var objects = moved
    for row in changes.inserted + changes.updated {
      let object = RowKey(key: row.row.key, layoutIndex: Int32(row.layout.index))
      guard let own = try zones.zone(of: object) else { continue }
      let isNew = row.changed.isEmpty
      for ordinal in row.layout.properties.indices where isNew || row.changed.contains(ordinal) {
        guard let relationship = row.layout.properties[ordinal] as? NSRelationshipDescription,
          !relationship.isToMany,
          try graph.neighbours(of: object, along: ordinal).contains(where: {
            try zones.zone(of: $0).map { $0 != own } ?? false
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
    for object in Set(moved + pairs.map(\.first)) {
      guard let zone = try zones.presentZone(of: object) else { continue }
      try moves.gatherPairs(of: object, in: zone)
    }
  }

  /// Moves objects into the zones of shares that they are related to.
  ///
  /// Objects of two shares stay as they are; the next save that concerns them fails.
  func joinAll(_ objects: [RowKey]) throws {
    for object in objects { do { try join(object) } catch is SharingError {} }
  }

  /// Moves an object to the zone of its new target, if the object has to follow.
  private func follow(_ object: RowKey, _ target: RowKey) throws {
    try carryOut(rules.follow(object, target))
  }

  /// Moves an object and all its related objects into one zone.
  private func join(_ object: RowKey) throws { try carryOut(rules.join(object)) }

  private var rules: ZoneRules<Self> { ZoneRules(self) }

  private func carryOut(_ decision: ZoneDecision<RowKey, Int64>) throws {
    switch decision {
    case .stays: break
    case .moves(let objects, let zone):
      if isHome(zone) {
        try moves.move(objects, to: zone)
      } else {
        try moves.begin(objects, to: zone)
      }
    case .isOfTwoShares(let one, let zone, let other, let second):
      throw SharingError.twoShares(
        one, try zones.identifier(zone), other, try zones.identifier(second))
    }
  }
}

extension ZoneAssignment: ZonedObjects {
  func neighbours(of object: RowKey) throws -> [RowKey] { try graph.neighbours(of: object) }

  func isHome(_ zone: Int64) -> Bool { zone == zones.homeZone }

  func zone(of object: RowKey) throws -> Int64? { try zones.zone(of: object) }

  func isKnown(_ object: RowKey) throws -> Bool { try zones.isSent(object) }
}
