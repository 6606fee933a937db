import SQLiteDriver

/// The local workloads, written with the driver as a store would write them.
struct LocalDriver {
  let connection: Connection

  init() throws {
    connection = try Connection(.memory)
    try connection.execute(LocalRows.schema)
  }

  func removeAll() throws { try connection.execute("DELETE FROM ZPOST") }

  /// Inserts the rows in one transaction.
  func insert(_ count: Int, of rows: LocalRows) throws {
    try connection.transaction {
      var statement = try connection.prepare(LocalRows.insert)
      let posts = rows.posts.span
      for row in 0..<count {
        let turn = row % LocalRows.variety
        try insert(posts[turn], turn: turn, row: row, with: &statement)
      }
    }
  }

  /// Inserts one row.
  ///
  /// It is a separate function that borrows the post, so that the post's constants are bound
  /// without a retain.
  private func insert(_ post: LocalPost, turn: Int, row: Int, with statement: inout Statement)
    throws(SQLiteError)
  {
    try statement.bind(row + 1, at: 1)
    try statement.bind(1, at: 2)
    try statement.bind(turn, at: 3)
    try statement.bind(post.name, at: 4)
    try statement.bind(post.note, at: 5)
    try statement.bind(Double(row) * 0.5, at: 6)
    try statement.bind(Double(row) * 1.25, at: 7)
    try statement.bind(post.token, at: 8)
    try statement.run()
  }

  /// Steps through all rows and reads all columns in place.
  ///
  /// - Returns: A checksum of the values.
  func read() throws -> Int64 {
    var statement = try connection.prepare(LocalRows.select)
    var integers: Int64 = 0
    var reals = 0.0
    while try statement.step() {
      integers += statement.row.int64(at: 0)
      integers += statement.row.int64(at: 1)
      integers += statement.row.int64(at: 2)
      integers += statement.row.withText(at: 3, glance) ?? 0
      integers += statement.row.withText(at: 4, glance) ?? 0
      reals += statement.row.double(at: 5)
      reals += statement.row.double(at: 6)
      integers += statement.row.withBlob(at: 7, glance) ?? 0
    }
    return integers + Int64(reals)
  }
}

/// The first byte plus the length: reads the bytes in place at little cost.
private func glance(_ bytes: Span<UInt8>) -> Int64 {
  bytes.isEmpty ? 0 : Int64(bytes[0]) + Int64(bytes.count)
}

private func glance(_ bytes: RawSpan) -> Int64 {
  bytes.isEmpty ? 0 : Int64(unsafe bytes.unsafeLoad(as: UInt8.self)) + Int64(bytes.byteCount)
}
