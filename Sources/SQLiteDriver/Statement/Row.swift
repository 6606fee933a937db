public import CSQLite

/// The current row of a statement, borrowed by the reader.
@safe public struct Row: ~Copyable {
  @usableFromInline let handle: OpaquePointer

  init(handle: OpaquePointer) { unsafe self.handle = unsafe handle }

  /// The number of columns.
  package var count: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// The name of a column, from the SQL or its `AS`.
  package func name(at column: Int) -> String? {
    unsafe sqlite3_column_name(handle, Int32(clamping: column)).map { unsafe String(cString: $0) }
  }

  /// All columns.
  package var values: [Value] { (0..<count).map { value(at: $0) } }
}

// MARK: - Reading

extension Row: BorrowedValues {
  /// The storage class of a column; valid only before another read of the column converts it.
  public func storageClass(at column: Int) -> StorageClass {
    StorageClass(code: unsafe sqlite3_column_type(handle, Int32(clamping: column)))
  }

  /// Whether a column is NULL.
  @inlinable
  public func isNull(at column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// An integer; 0 for NULL.
  @inlinable
  public func int64(at column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// A floating-point number; 0 for NULL.
  @inlinable
  public func double(at column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// Calls `body` with the UTF-8 bytes of a text; returns nil, without the call, for NULL.
  @inlinable
  public func withText<Result, Failure>(
    at column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let index = Int32(truncatingIfNeeded: column)
    guard let start = unsafe sqlite3_column_text(handle, index) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return try unsafe body(Span(_unsafeStart: start, count: count))
  }

  /// Calls `body` with the bytes of a blob; returns nil, without the call, for NULL.
  @inlinable
  public func withBlob<Result, Failure>(
    at column: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let index = Int32(truncatingIfNeeded: column)
    let start = unsafe sqlite3_column_blob(handle, index)
    // An empty blob has no address; its type distinguishes it from NULL.
    if unsafe start == nil, isNull(at: column) { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return try unsafe body(
      RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
  }
}
