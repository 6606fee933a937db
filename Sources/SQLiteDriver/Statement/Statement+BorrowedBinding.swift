internal import CSQLite

extension Statement {
  /// Binds a blob without copying it, while `body` runs.
  ///
  /// For large values: SQLite reads the caller's bytes in place. After `body`, the statement is
  /// reset and the parameter is NULL, so nothing refers to the bytes any longer.
  package mutating func withBorrowed<Result>(
    blob: borrowing RawSpan, at parameter: Int, _ body: (inout Statement) throws -> Result
  ) throws -> Result {
    try unsafe blob.withUnsafeBytes { bytes in
      try unsafe withBorrowed(bytes, isText: false, at: parameter, body)
    }
  }

  /// Binds UTF-8 text without copying it, while `body` runs.
  package mutating func withBorrowed<Result>(
    utf8: borrowing Span<UInt8>, at parameter: Int, _ body: (inout Statement) throws -> Result
  ) throws -> Result {
    try unsafe utf8.withUnsafeBytes { bytes in
      try unsafe withBorrowed(bytes, isText: true, at: parameter, body)
    }
  }

  private mutating func withBorrowed<Result>(
    _ bytes: UnsafeRawBufferPointer, isText: Bool, at parameter: Int,
    _ body: (inout Statement) throws -> Result
  ) throws -> Result {
    // The body may replace `self` with another statement; release the one that was bound.
    let bound = prepared
    var empty: UInt8 = 0
    return try unsafe withUnsafePointer(to: &empty) { empty in
      let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(empty)
      let code = unsafe bind(
        start, count: bytes.count, isText: isText, at: parameter, lifetime: nil)
      try checkBinding(code)
      defer {
        unsafe sqlite3_reset(bound.handle)
        if bound === prepared { isOnRow = false }
        unsafe sqlite3_bind_null(bound.handle, Int32(clamping: parameter))
      }
      return try body(&self)
    }
  }
}
