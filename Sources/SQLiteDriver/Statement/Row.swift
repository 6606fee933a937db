public import CSQLite

/// The present row of a statement, lent to the reader.
///
/// Columns count from 0. Reading converts as SQLite does (a text read as an integer is parsed, NULL is 0); a column that
/// is not there reads as NULL. Texts and blobs can be borrowed without a copy. While bytes of a column are borrowed, do
/// not read that same column in another form: the conversion may move them.
@safe public struct Row: ~Copyable {
  @usableFromInline let handle: OpaquePointer

  init(handle: OpaquePointer) { unsafe self.handle = unsafe handle }

  /// How many columns the row has.
  package var count: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// The storage class of a column; meaningful before any other read of that column converted it.
  package func storageClass(at column: Int) -> StorageClass {
    StorageClass(code: unsafe sqlite3_column_type(handle, Int32(clamping: column)))
  }

  /// Whether a column is NULL.
  @inlinable
  package func isNull(at column: Int) -> Bool {
    unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// An integer; 0 for NULL.
  @inlinable
  package func int64(at column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
  }

  /// A floating-point number; 0 for NULL.
  @inlinable
  package func double(at column: Int) -> Double {
    unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
  }

  /// An integer, or nil for NULL: only a zero can be a NULL.
  @inlinable
  package func optionalInt64(at column: Int) -> Int64? {
    let number = int64(at: column)
    return number == 0 && isNull(at: column) ? nil : number
  }

  /// A floating-point number, or nil for NULL: only a zero can be a NULL.
  @inlinable
  package func optionalDouble(at column: Int) -> Double? {
    let number = double(at: column)
    return number == 0 && isNull(at: column) ? nil : number
  }

  /// The name of a column, as the SQL or its `AS` gives it.
  package func name(at column: Int) -> String? {
    unsafe sqlite3_column_name(handle, Int32(clamping: column)).map { unsafe String(cString: $0) }
  }
}

// MARK: - Borrowing

extension Row {
  /// Lends the UTF-8 bytes of a text; nil, without calling `body`, for NULL.
  @inlinable
  package func withText<Result, Failure>(
    at column: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let index = Int32(truncatingIfNeeded: column)
    guard let start = unsafe sqlite3_column_text(handle, index) else { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return try unsafe body(Span(_unsafeStart: start, count: count))
  }

  /// Lends the bytes of a blob; nil, without calling `body`, for NULL.
  @inlinable
  package func withBlob<Result, Failure>(
    at column: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let index = Int32(truncatingIfNeeded: column)
    let start = unsafe sqlite3_column_blob(handle, index)
    // An empty blob has no address; its type tells it from NULL.
    if unsafe start == nil, isNull(at: column) { return nil }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
  }
}

// MARK: - Copies

extension Row {
  /// A text, copied; nil for NULL.
  ///
  /// Bytes that are not UTF-8 become replacement characters.
  package func text(at column: Int) -> String? {
    withText(at: column) { utf8 in String(copying: utf8) }
  }

  /// A blob, copied; nil for NULL.
  package func blob(at column: Int) -> [UInt8]? {
    withBlob(at: column) { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
  }

  /// A column in the storage class it has.
  package func value(at column: Int) -> Value {
    switch storageClass(at: column) {
    case .null: .null
    case .integer: .integer(int64(at: column))
    case .real: .real(double(at: column))
    case .text: text(at: column).map(Value.text) ?? .null
    case .blob: blob(at: column).map(Value.blob) ?? .null
    }
  }

  /// All columns.
  package var values: [Value] { (0..<count).map { value(at: $0) } }
}
