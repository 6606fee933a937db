package import ManagedObjectModel
package import ObjectRows
import SQLiteDriver

/// Rows by key.
extension SQLiteRowStore {
  package func rows(withKeys keys: [Int64], layout: RowLayout) throws -> FetchedRows {
    guard let first = keys.first else { return FetchedRows() }
    let plan = try plans.plan(for: layout)
    return try pool.read { connection in
      var rows = RowCollector(plan, reader, atMost: keys.count)
      if keys.count == 1 {
        var statement = try connection.prepare(plan.selectByKey)
        try statement.bind(first, at: 1)
        try rows.collect(&statement)
      } else {
        try connection.withIntegers([keys]) {
          var statement = try connection.prepare(plan.selectByKeys)
          try rows.collect(&statement)
        }
      }
      return rows.fetched
    }
  }

  package func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool
  ) throws -> RelatedRows {
    let owners = Self.ascending(owners)
    guard let first = owners.first, let last = owners.last else {
      var nothing = RelatedRows()
      nothing.rows = includingRows ? FetchedRows() : nil
      return nothing
    }
    let isRange = last &- first == Int64(owners.count) - 1
    let query = try relationships.query(
      for: relationship, layout: layout, includesRows: includingRows,
      owners: first == last ? .single : isRange ? .range : .listed)
    return try pool.read { connection in
      var related = RelatedRowsCollector(query, reader)
      return try connection.withIntegers(isRange ? [] : [owners]) {
        var statement = try connection.prepare(query.select)
        if isRange { try statement.bind(first, at: 1) }
        if isRange, first != last { try statement.bind(last, at: 2) }
        return try related.collect(&statement)
      }
    }
  }

  /// The keys in ascending order and without duplicates, as the queries for members need them.
  private static func ascending(_ keys: [Int64]) -> [Int64] {
    zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 } ? keys : Set(keys).sorted()
  }
}

extension Connection {
  /// Runs `body` while the integer arrays contain these numbers, and clears them afterwards.
  func withIntegers<Result>(_ arrays: [[Int64]], _ body: () throws -> Result) throws -> Result {
    for (number, values) in arrays.enumerated() { try integerArray(number).values = values }
    defer { for number in arrays.indices { integerArrays(number)?.values = [] } }
    return try body()
  }

  private func integerArrays(_ number: Int) -> IntegerArray? { try? integerArray(number) }
}
