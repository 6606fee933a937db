package import CloudRecords
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Orders that wait for members.
extension Ledger {
  /// The orders of some objects that wait for members.
  package func keptOrders(of owners: some Sequence<RowKey>) throws -> [RowKey: [KeptOrder]] {
    try read { connection in
      guard try connection.number(Self.anyOrder) != nil else { return [:] }
      let zones = try connection.zones()
      var found: [RowKey: [KeptOrder]] = [:]
      var statement = try connection.prepare(Self.ordersByOwner)
      for owner in owners {
        guard let entity = names.entity(Int(owner.layoutIndex)) else { continue }
        try statement.bind(entity, at: 1)
        try statement.bind(owner.key, at: 2)
        while try statement.step() {
          guard let order = try order(of: owner, statement.row, zones, connection) else { continue }
          found[owner, default: []].append(order)
        }
      }
      return found
    }
  }

  /// The owners whose orders wait for some records.
  package func owners(awaiting members: some Sequence<RecordIdentifier>) throws -> [RowKey] {
    try read { connection in
      guard try connection.number(Self.anyOrder) != nil else { return [] }
      var numbers = ZoneNumbers(connection)
      var found: Set<RowKey> = []
      var statement = try connection.prepare(Self.ownersByName)
      for member in members {
        guard let zone = try numbers.present(member.zone) else { continue }
        try statement.bind(zone, at: 1)
        try statement.bind(RecordName(member.recordName), at: 2)
        while try statement.step() {
          guard let layout = names.layoutIndex(statement.row.int64(at: 0)) else { continue }
          found.insert(RowKey(key: statement.row.int64(at: 1), layoutIndex: layout))
        }
      }
      return found.sorted { ($0.layoutIndex, $0.key) < ($1.layoutIndex, $1.key) }
    }
  }

  static let anyOrder = "SELECT 1 FROM PHM_ORDER LIMIT 1"
  static let ordersByOwner =
    "SELECT property, zone, names FROM PHM_ORDER WHERE entity = ?1 AND key = ?2 ORDER BY property"
  static let ownersByName = "SELECT entity, key FROM PHM_ORDER_NAME WHERE zone = ?1 AND name = ?2"
  static let awaitedNames =
    "SELECT name FROM PHM_ORDER_NAME WHERE entity = ?1 AND key = ?2 AND property = ?3"

  private func order(
    of owner: RowKey, _ row: borrowing Row, _ zones: [Int64: RecordZoneIdentifier],
    _ connection: Connection
  ) throws -> KeptOrder? {
    let bit = row.int64(at: 0)
    guard let ordinal = names.ordinal(ofBit: Int(bit), Int(owner.layoutIndex)),
      let zone = zones[row.int64(at: 1)],
      let entity = names.entity(Int(owner.layoutIndex))
    else { return nil }
    var awaited: [String] = []
    var statement = try connection.prepare(Self.awaitedNames)
    for (place, number) in [entity, owner.key, bit].enumerated() {
      try statement.bind(number, at: place + 1)
    }
    while try statement.step() {
      if let name = RecordName(statement.row, at: 0) { awaited.append(name.text) }
    }
    return KeptOrder(
      owner: owner, ordinal: ordinal, zone: zone,
      names: MemberOrder.order(in: row.text(at: 2) ?? ""),
      awaited: awaited.sorted())
  }
}
