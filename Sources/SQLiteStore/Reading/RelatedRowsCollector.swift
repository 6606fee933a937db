import ObjectRows
import SQLiteDriver

/// Reads the members of a relationship, and groups them by owner, in order.
struct RelatedRowsCollector {
  private let query: RelationshipQuery
  private let reader: RowReader
  private var related = RelatedRows()
  /// The order key of each member; empty if the relationship is not ordered.
  private var places = ContiguousArray<Int64>()

  init(_ query: RelationshipQuery, _ reader: RowReader) {
    self.query = query
    self.reader = reader
  }

  /// Reads a statement to its end.
  mutating func collect(_ statement: inout Statement) throws -> RelatedRows {
    if query.includesRows { try collectRows(&statement) } else { try collectKeys(&statement) }
    if !isInOrder { putInOrder() }
    return related
  }

  private mutating func collectRows(_ statement: inout Statement) throws {
    var rows = RowCollector(query.plan, reader)
    try statement.readRows { row in
      if let member = rows.take(row) { append(member, row) }
    }
    related.rows = rows.fetched
  }

  private mutating func collectKeys(_ statement: inout Statement) throws {
    try statement.readRows { row in
      let number = row.int64(at: 0)
      guard query.plan.place(ofEntity: number) >= 0 else { return }
      append(
        RowKey(key: row.int64(at: 1), layoutIndex: reader.numbers.layoutIndex(ofEntity: number)),
        row)
    }
  }

  @inline(__always)
  private mutating func append(_ member: RowKey, _ row: borrowing FunctionArguments) {
    related.owners.append(row.int64(at: query.ownerColumn))
    related.members.append(member)
    if let column = query.orderColumn { places.append(row.int64(at: column)) }
  }

  /// Whether the rows arrived in order, as they do if SQLite used an index.
  private var isInOrder: Bool {
    related.owners.indices.dropFirst().allSatisfy { !precedes($0, $0 - 1) }
  }

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    if related.owners[one] != related.owners[other] {
      return related.owners[one] < related.owners[other]
    }
    if query.orderColumn != nil, places[one] != places[other] { return places[one] < places[other] }
    return related.members[one].key < related.members[other].key
  }

  private mutating func putInOrder() {
    let order = related.owners.indices.sorted { precedes($0, $1) }
    related.owners = ContiguousArray(order.map { related.owners[$0] })
    related.members = ContiguousArray(order.map { related.members[$0] })
    guard let unordered = related.rows?.rows else { return }
    related.rows?.keysAscend = false
    related.rows?.rows = ContiguousArray(order.map { unordered[$0] })
  }
}
