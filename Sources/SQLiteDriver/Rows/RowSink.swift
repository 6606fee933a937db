internal import CSQLite

/// Where the rows of a running statement go.
///
/// A connection has one. A reader that runs another statement takes its place for as long as that
/// runs.
@safe final class RowSink {
  /// Who reads the rows; whoever set it holds it.
  @safe private var reader: Unmanaged<RowReading>?

  /// Hands the rows to a reader for as long as `body` runs.
  func withReader(_ reader: RowReading, _ body: () throws -> Void) rethrows {
    let outer = self.reader
    self.reader = unsafe .passUnretained(reader)
    defer { self.reader = unsafe outer }
    try withExtendedLifetime(reader, body)
  }

  /// Hands a row on.
  ///
  /// - Returns: False where nobody reads rows, or the reader threw an error.
  @inline(__always)
  func take(_ row: borrowing FunctionArguments) -> Bool {
    guard let reader else { return false }
    return unsafe reader._withUnsafeGuaranteedRef { $0.take(row) }
  }
}

/// Who reads the rows of a statement, and the error that it threw.
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
  /// Where the rows of running statements go; the function that hands them over is registered with
  /// the first use.
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

/// SQLite's call for each row.
private let takeRow:
  @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
    call, count, values in
    guard let data = unsafe sqlite3_user_data(call) else { return }
    let row = unsafe FunctionArguments(count: count, values: values, call: nil)
    // The connection holds the sink for as long as it can run statements.
    let isTaken = unsafe Unmanaged<RowSink>.fromOpaque(data)._withUnsafeGuaranteedRef {
      $0.take(row)
    }
    if !isTaken { unsafe sqlite3_result_error(call, "nobody reads the rows", -1) }
  }

/// SQLite's call after the last row: there is no result but the rows.
private let endRows: @convention(c) (OpaquePointer?) -> Void = { _ in }
