public import CSQLite

extension Statement {
  /// Binds an integer.
  @inlinable
  package mutating func bind(_ value: Int64, at parameter: Int) throws(SQLiteError) {
    try checkBinding(unsafe sqlite3_bind_int64(handle, Int32(clamping: parameter), value))
  }

  /// Binds an integer.
  @inlinable
  package mutating func bind(_ value: Int, at parameter: Int) throws(SQLiteError) {
    try bind(Int64(value), at: parameter)
  }

  /// Binds a floating-point number.
  ///
  /// SQLite stores NaN as NULL.
  @inlinable
  package mutating func bind(_ value: Double, at parameter: Int) throws(SQLiteError) {
    try checkBinding(unsafe sqlite3_bind_double(handle, Int32(clamping: parameter), value))
  }

  /// Binds text; the bytes are copied.
  package mutating func bind(_ value: borrowing String, at parameter: Int) throws(SQLiteError) {
    // The span borrows the string's own bytes; a closure would retain the string.
    try bind(utf8: value.utf8.span, at: parameter)
  }

  /// Binds text given as UTF-8; the bytes are copied.
  @inline(__always)
  package mutating func bind(utf8: borrowing Span<UInt8>, at parameter: Int) throws(SQLiteError) {
    let code = unsafe utf8.withUnsafeBytes { unsafe bindCopy(of: $0, isText: true, at: parameter) }
    try checkBinding(code)
  }

  /// Binds a blob; the bytes are copied.
  package mutating func bind(_ value: [UInt8], at parameter: Int) throws(SQLiteError) {
    let code = unsafe value.withUnsafeBytes {
      unsafe bindCopy(of: $0, isText: false, at: parameter)
    }
    try checkBinding(code)
  }

  /// Binds a blob; the bytes are copied.
  package mutating func bind(blob: borrowing RawSpan, at parameter: Int) throws(SQLiteError) {
    let code = unsafe blob.withUnsafeBytes { unsafe bindCopy(of: $0, isText: false, at: parameter) }
    try checkBinding(code)
  }

  /// Binds NULL.
  @inlinable
  package mutating func bindNull(at parameter: Int) throws(SQLiteError) {
    try checkBinding(unsafe sqlite3_bind_null(handle, Int32(clamping: parameter)))
  }

  /// Binds values to the first parameters, in order.
  @inlinable
  package mutating func bind<each Parameter: StatementParameter>(
    _ values: repeat each Parameter
  ) throws(SQLiteError) {
    var parameter = 0
    for value in repeat each values {
      parameter += 1
      try value.bind(to: &self, at: parameter)
    }
  }

  /// Binds any value.
  package mutating func bind(value: Value, at parameter: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: parameter)
    case .integer(let number): try bind(number, at: parameter)
    case .real(let number): try bind(number, at: parameter)
    case .text(let text): try bind(text, at: parameter)
    case .blob(let bytes): try bind(bytes, at: parameter)
    }
  }

  /// Binds all parameters, in order.
  ///
  /// Throws if the number of values differs from the number of parameters.
  package mutating func bind(_ values: [Value]) throws(SQLiteError) {
    guard values.count == parameterCount else {
      throw SQLiteError(
        code: .outOfRange,
        message: "the statement has \(parameterCount) parameters, not \(values.count)",
        context: .init(path: connection.location.description, sql: sql))
    }
    for (offset, value) in values.enumerated() { try bind(value: value, at: offset + 1) }
  }

  /// Sets every parameter to NULL.
  package mutating func clearBindings() {
    unsafe sqlite3_clear_bindings(handle)
  }

  @inlinable
  func checkBinding(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw failedBinding(code) }
  }

  @usableFromInline
  func failedBinding(_ code: Int32) -> SQLiteError { connection.failure(code, sql: sql) }
}

// MARK: - Copies

extension Statement {
  /// Binds a copy of `bytes`: short ones in the parameter's buffer, longer ones in SQLite's memory.
  @inline(__always)
  private func bindCopy(of bytes: UnsafeRawBufferPointer, isText: Bool, at parameter: Int) -> Int32
  {
    // A running statement may be reading the buffer; SQLite would reject the binding anyway.
    guard !isOnRow else { return refuseBinding(at: parameter) }
    if let copy = unsafe prepared.buffers.store(bytes, forParameter: parameter) {
      return unsafe bind(copy, count: bytes.count, isText: isText, at: parameter, lifetime: nil)
    }
    // SQLite reads a nil address as NULL, and an empty buffer may have one.
    var empty: UInt8 = 0
    return unsafe withUnsafePointer(to: &empty) { empty in
      let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(empty)
      return unsafe bind(
        start, count: bytes.count, isText: isText, at: parameter,
        lifetime: parhelion_sqlite3_transient())
    }
  }

  /// Makes SQLite report the misuse, so that code and message are its own.
  private func refuseBinding(at parameter: Int) -> Int32 {
    unsafe sqlite3_bind_null(handle, Int32(clamping: parameter))
  }

  /// Binds bytes to a parameter, as text or as a blob, and returns SQLite's result code.
  ///
  /// - Parameter lifetime: Nil if the bytes stay in place, otherwise how SQLite copies them.
  @inline(__always)
  func bind(
    _ start: UnsafeRawPointer, count: Int, isText: Bool, at parameter: Int,
    lifetime: sqlite3_destructor_type?
  ) -> Int32 {
    let index = Int32(clamping: parameter)
    guard isText else {
      return unsafe sqlite3_bind_blob64(handle, index, start, UInt64(count), lifetime)
    }
    let characters = unsafe start.assumingMemoryBound(to: CChar.self)
    return unsafe sqlite3_bind_text64(
      handle, index, characters, UInt64(count), lifetime, UInt8(SQLITE_UTF8))
  }
}

/// A value that a statement binds to a parameter.
@usableFromInline package protocol StatementParameter {
  /// Binds the value.
  func bind(to statement: inout Statement, at parameter: Int) throws(SQLiteError)
}

extension Int64: StatementParameter {
  @inlinable
  package func bind(to statement: inout Statement, at parameter: Int) throws(SQLiteError) {
    try statement.bind(self, at: parameter)
  }
}

extension Int: StatementParameter {
  @inlinable
  package func bind(to statement: inout Statement, at parameter: Int) throws(SQLiteError) {
    try statement.bind(self, at: parameter)
  }
}

extension Double: StatementParameter {
  @inlinable
  package func bind(to statement: inout Statement, at parameter: Int) throws(SQLiteError) {
    try statement.bind(self, at: parameter)
  }
}

extension String: StatementParameter {
  @usableFromInline
  package func bind(to statement: inout Statement, at parameter: Int) throws(SQLiteError) {
    try statement.bind(self, at: parameter)
  }
}
