import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The frontier of moves that are too large for one transaction.
///
/// An object stays in the frontier until it and all related objects are in the share's zone. If the
/// process crashes between two transactions, the next call resumes. A save in between may relate
/// further objects: the save itself moves them (`ZoneAssignment`), and objects of the frontier are
/// still examined.
///
/// ```
/// given objects ─▶ frontier ─▶ examined: related objects of the home zone move ─▶ frontier
///                                                            └──▶ out of the frontier
/// ```
///
/// Objects of other shares stay where they are.
struct MoveFrontier {
  /// A position among the related objects of one object in the frontier.
  ///
  /// It is kept from one transaction to the next. Without it, an object's relations are read from
  /// the beginning.
  struct Cursor {
    fileprivate var item: Item
    fileprivate var relation = 0
    fileprivate var key = Int64.min
  }

  fileprivate struct Item: Equatable {
    let entity: Int64
    let key: Int64
    let zone: Int64
    /// Whether the object itself still has to move.
    let isGiven: Bool
  }

  private let names: LedgerNames
  private let connection: Connection

  init(_ names: LedgerNames, _ connection: Connection) {
    (self.names, self.connection) = (names, connection)
  }

  // MARK: Statements

  private static let kind = DeferredItem.Kind.moving.rawValue
  static let any = "SELECT 1 FROM PHM_DEFERRED WHERE kind = \(kind) LIMIT 1"
  static let first =
    "SELECT entity, key, zone, property FROM PHM_DEFERRED WHERE kind = \(kind) LIMIT 1"
  private static let presence =
    "SELECT 1 FROM PHM_DEFERRED WHERE kind = \(kind) AND entity = ?1 AND key = ?2 AND zone = ?3"
  private static let insertion =
    "INSERT OR REPLACE INTO PHM_DEFERRED(kind, entity, key, zone, record, property, dependency) "
    + "VALUES(\(kind), ?1, ?2, ?3, '', ?4, '')"
  private static let removal =
    "DELETE FROM PHM_DEFERRED WHERE kind = \(kind) AND entity = ?1 AND key = ?2 AND zone = ?3"

  /// Statements whose plans must not scan.
  static let all = [any, first, presence, removal]

  // MARK: Items

  /// Whether no move remains.
  var isEmpty: Bool { get throws { try connection.number(Self.any) == nil } }

  /// Adds objects.
  ///
  /// - Parameter areGiven: Whether they still have to move themselves.
  func add(_ objects: some Sequence<RowKey>, in zone: Int64, areGiven: Bool = false) throws {
    for object in objects {
      guard let entity = names.entity(Int(object.layoutIndex)) else { continue }
      try connection.run(Self.insertion, entity, object.key, zone, areGiven ? 1 : 0)
    }
  }

  /// Drops the remaining moves to a zone.
  static func drop(_ zone: Int64, on connection: Connection) throws(SQLiteError) {
    try connection.run("DELETE FROM PHM_DEFERRED WHERE kind = \(kind) AND zone = ?1", zone)
  }

  private func next(after cursor: Cursor?) throws -> Item? {
    if let item = cursor?.item,
      try connection.number(
        Self.presence, [.integer(item.entity), .integer(item.key), .integer(item.zone)]) != nil
    {
      return item
    }
    var statement = try connection.prepare(Self.first)
    guard try statement.step() else { return nil }
    return Item(
      entity: statement.row.int64(at: 0), key: statement.row.int64(at: 1),
      zone: statement.row.int64(at: 2), isGiven: statement.row.int64(at: 3) != 0)
  }

  // MARK: Moves

  /// The maximum number of examined objects per moved one: examining costs a tenth of moving.
  private static let visitsPerMove = 10

  /// Moves the next objects, in the open transaction.
  ///
  /// - Parameter limit: The maximum number of objects that move. At most ten times as many are
  ///   examined.
  /// - Returns: The objects that moved.
  func advance(
    _ cursor: inout Cursor?, homeZone: Int64, limit: Int, _ moves: ZoneMoves,
    in store: SQLiteRowStore
  ) throws -> [RowKey] {
    var pass = Pass(
      graph: ObjectGraph(store, names, connection),
      zones: try ZoneCache(names, homeZone: homeZone, connection),
      moves: moves, limit: limit, visitsLeft: limit * Self.visitsPerMove)
    while !pass.isSpent, let item = try next(after: cursor) {
      var place = cursor.flatMap { $0.item == item ? $0 : nil } ?? Cursor(item: item)
      cursor = nil
      pass.visitsLeft -= 1
      if let object = names.layoutIndex(item.entity).map({ RowKey(key: item.key, layoutIndex: $0) })
      {
        if item.isGiven { try pass.take(object, to: item.zone) }
        // If the object has left the zone meanwhile, or is in another share, nothing follows it.
        if try pass.zones.zone(of: object) == item.zone,
          try !examine(object, &place, &pass)
        {
          cursor = place
          break
        }
      }
      try connection.run(Self.removal, item.entity, item.key, item.zone)
    }
    return pass.moved
  }

  /// The work of one transaction.
  private struct Pass {
    let graph: ObjectGraph
    let zones: ZoneCache
    let moves: ZoneMoves
    let limit: Int
    var visitsLeft: Int
    var moved: [RowKey] = []

    var isSpent: Bool { moved.count >= limit || visitsLeft <= 0 }

    /// Moves an object if it is in the home zone, and returns whether it moved.
    @discardableResult
    mutating func take(_ object: RowKey, to zone: Int64) throws -> Bool {
      guard try zones.zone(of: object) == zones.homeZone, try moves.move(object, to: zone) else {
        return false
      }
      moved.append(object)
      return true
    }
  }

  /// Moves the related objects of an object, and returns whether all of them were examined.
  private func examine(_ object: RowKey, _ place: inout Cursor, _ pass: inout Pass) throws -> Bool {
    let relations = pass.graph.relations(of: object)
    while place.relation < relations.count {
      let page = try pass.graph.members(
        of: object, relations[place.relation], after: place.key, limit: pass.limit)
      for member in page {
        if pass.isSpent { return false }
        pass.visitsLeft -= 1
        place.key = member.key
        if try pass.take(member, to: place.item.zone) { try add([member], in: place.item.zone) }
      }
      if page.count < pass.limit { (place.relation, place.key) = (place.relation + 1, .min) }
    }
    return true
  }
}
