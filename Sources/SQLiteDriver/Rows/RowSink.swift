internal import CSQLite

/// The destination of a running statement's rows.
///
/// A connection has one. A nested statement replaces the reader while it runs.
@safe final class RowSink {
  /// The current reader, which is not retained: `withReader` keeps it alive.
  @safe private var reader: Unmanaged<RowReading>?

  /// Sends the rows to a reader while `body` runs.
  func withReader(_ reader: RowReading, _ body: () throws -> Void) rethrows {
    let outer = self.reader
    self.reader = unsafe .passUnretained(reader)
    defer { self.reader = unsafe outer }
    try withExtendedLifetime(reader, body)
  }

  /// Passes a row to the reader.
  ///
  /// - Returns: False if there is no reader, or if it threw an error.
  @inline(__always)
  func take(_ row: borrowing FunctionArguments) -> Bool {
    guard let reader else { return false }
    return unsafe reader._withUnsafeGuaranteedRef { $0.take(row) }
  }
}

/// A reader of rows, and the error that it threw.
final class RowReading {
  private let body: (borrowing FunctionArguments) throws -> Void
  private(set) var failure: (any Error)?

  init(_ body: @escaping (borrowing FunctionArguments) throws -> Void) { self.body = body }

  @inline(__always)
  func take(_ row: borrowing FunctionArguments) -> Bool {
    do {
      try body(row)
      return true
    } catch {
      failure = error
      return false
    }
  }
}

extension Connection {
  /// The connection's sink; the first call registers its aggregate function.
  func registeredSink() throws(SQLiteError) -> RowSink {
    if let rowSink { return rowSink }
    let sink = RowSink()
    let code = unsafe sqlite3_create_function_v2(
      try handle(), RowQuery.function, -1, SQLITE_UTF8 | FunctionTraits.directOnly.rawValue,
      Unmanaged.passUnretained(sink).toOpaque(), nil, takeRow, endRows, nil)
    try check(code)
    rowSink = sink
    return sink
  }
}

/// SQLite's callback for each row.
private let takeRow:
  @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    call, count, values in
    guard let data = unsafe sqlite3_user_data(call) else { return }
    let row = unsafe FunctionArguments(count: count, values: values, call: nil)
    // The connection retains the sink as long as it can run statements.
    let isTaken = unsafe Unmanaged<RowSink>.fromOpaque(data)._withUnsafeGuaranteedRef {
      $0.take(row)
    }
    if !isTaken { unsafe sqlite3_result_error(call, "no reader takes the rows", -1) }
  }

/// SQLite's callback after the last row: the function has no result.
private let endRows: @convention(c) (OpaquePointer?) -> Void = { _ in }
