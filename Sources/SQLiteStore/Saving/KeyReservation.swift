import ObjectRows
import SQLiteDriver

/// Reserves keys for new rows from the counters in `Z_PRIMARYKEY`.
///
/// A key is never used twice, even if its row is never written.
struct KeyReservation {
  private let counts: [(layout: RowLayout, count: Int)]
  /// For each element of `counts`, the number of the root entity whose counter gives the keys.
  private let roots: [Int]
  /// For each root, the number of keys, and the roots (`peers`) among which keys must be unique.
  private let wanted: [(root: Int, peers: [Int], count: Int)]

  init(_ counts: [(layout: RowLayout, count: Int)], _ schema: StoreSchema) throws(StoreError) {
    self.counts = counts
    var roots: [Int] = []
    var wanted: [(root: Int, peers: [Int], count: Int)] = []
    for (layout, count) in counts {
      let entity = try schema.requireEntity(layout)
      roots.append(entity.rootNumber)
      if let place = wanted.firstIndex(where: { $0.root == entity.rootNumber }) {
        wanted[place].count += count
      } else {
        wanted.append((entity.rootNumber, entity.keyNumbers, count))
      }
    }
    self.roots = roots
    self.wanted = wanted
  }

  func run(on connection: Connection) throws -> [Range<Int64>] {
    try connection.transaction(.exclusive) { try runInTransaction(on: connection) }
  }

  /// Reserves the keys in an open transaction, which may still roll back.
  func runInTransaction(on connection: Connection) throws -> [Range<Int64>] {
    var last: [Int: Int64] = [:]
    for (root, peers, count) in wanted where count > 0 {
      last[root] = try reserve(count, of: root, peers, connection)
    }
    var result: [Range<Int64>] = []
    for (place, (_, count)) in counts.enumerated() {
      guard count > 0, let before = last[roots[place]] else {
        result.append(0..<0)
        continue
      }
      let end = before + Int64(count)
      result.append(before + 1..<end + 1)
      last[roots[place]] = end
    }
    return result
  }

  /// Advances a counter.
  ///
  /// - Returns: The last key that was reserved before.
  private func reserve(_ count: Int, of root: Int, _ peers: [Int], _ connection: Connection) throws
    -> Int64
  {
    let own = try connection.counter(root)
    var (highest, entity) = (own, root)
    for peer in peers where peer != root {
      let last = try connection.counter(peer)
      if last > highest { (highest, entity) = (last, peer) }
    }
    guard highest >= 0, highest < Int64.max - Int64(count) else {
      throw Self.invalid(highest, entity)
    }
    try connection.run(
      "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND IFNULL(Z_MAX, 0) = ?",
      [.integer(highest + Int64(count)), .integer(Int64(root)), .integer(own)])
    guard connection.changes == 1 else { throw Self.missing(root) }
    return highest
  }

  private static func invalid(_ highest: Int64, _ root: Int) -> StoreError {
    StoreError(
      .notAStore,
      """
      The store's table Z_PRIMARYKEY gives \(highest) as the highest key of the entity \(root), so \
      no row can get the next one. Set Z_MAX to the highest key of its rows.
      """,
      context: ["table": "Z_PRIMARYKEY", "entity": String(root)])
  }

  private static func missing(_ root: Int) -> StoreError {
    StoreError(
      .notAStore,
      "The store's table Z_PRIMARYKEY has no row for the entity \(root), whose keys it should count.",
      context: ["table": "Z_PRIMARYKEY", "entity": String(root)])
  }
}

extension Connection {
  /// The highest reserved key of an entity's counter.
  func counter(_ entity: Int) throws(SQLiteError) -> Int64 {
    let value = try value(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(Int64(entity))])
    guard case .integer(let number) = value else { return 0 }
    return number
  }
}
