internal import CSQLite

extension Connection {
  /// The statement for a query, to be read by `readRows`.
  package func prepare(_ query: RowQuery) throws(SQLiteError) -> Statement {
    if query.statement != query.sql { _ = try registeredSink() }
    return try prepare(query.statement)
  }
}

extension Statement {
  /// Calls `body` with each row; afterwards the statement is ready to be bound and run again.
  ///
  /// It reads the statement of a `RowQuery`, or any other. An error that `body` throws ends the
  /// statement and is rethrown.
  ///
  /// `body` may run other statements of the connection, but not this one.
  package mutating func readRows(_ body: (borrowing FunctionArguments) throws -> Void) throws {
    if prepared.collectsRows { try collectRows(body) } else { try stepRows(body) }
  }

  /// Reads all rows in one step.
  private mutating func collectRows(_ body: (borrowing FunctionArguments) throws -> Void) throws {
    let sink = try connection.registeredSink()
    try withoutActuallyEscaping(body) { body in
      let reading = reading(body)
      do {
        // The aggregate's single result row has no content.
        try sink.withReader(reading) { if try step() { reset() } }
      } catch {
        throw reading.failure ?? error
      }
    }
  }

  /// The reader of the aggregate's rows, which first notifies a log that counts rows.
  private func reading(_ body: @escaping (borrowing FunctionArguments) throws -> Void)
    -> RowReading
  {
    guard let log = connection.statementLog, log.countsRows else { return RowReading(body) }
    let address = UInt(bitPattern: unsafe handle)
    return RowReading { row in
      log.collected(row, of: address)
      try body(row)
    }
  }

  /// Reads row by row.
  private mutating func stepRows(_ body: (borrowing FunctionArguments) throws -> Void) throws {
    let count = unsafe sqlite3_column_count(handle)
    try unsafe withUnsafeTemporaryAllocation(of: OpaquePointer?.self, capacity: max(1, Int(count)))
    { values in
      while try step() {
        // These values must stay on one thread, as everything of a connection does.
        for column in 0..<count {
          unsafe values[Int(column)] = unsafe sqlite3_column_value(handle, column)
        }
        do {
          try body(unsafe FunctionArguments(count: count, values: values.baseAddress, call: nil))
        } catch {
          reset()
          throw error
        }
      }
    }
  }
}
