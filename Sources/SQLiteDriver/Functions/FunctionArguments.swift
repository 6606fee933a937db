internal import CSQLite

/// The arguments of one call of a registered function, lent to it for that call.
///
/// Reading converts as SQLite does, as in `Row`. An argument that is not there reads as NULL.
@safe package struct FunctionArguments: ~Copyable {
  /// How many arguments the call has.
  package let count: Int

  private let values: UnsafeMutablePointer<OpaquePointer?>?
  private let call: OpaquePointer?

  /// - Parameter call: The function call that can keep auxiliary data; nil for the arguments of a virtual table.
  init(count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?, call: OpaquePointer?) {
    self.count = Int(count)
    unsafe self.values = unsafe values
    unsafe self.call = unsafe call
  }

  private func value(_ index: Int) -> OpaquePointer? {
    guard index >= 0, index < count, let values = unsafe values else { return nil }
    return unsafe values[index]
  }
}

// MARK: - Reading

extension FunctionArguments {
  /// The storage class of an argument.
  package func storageClass(at index: Int) -> StorageClass {
    guard let value = unsafe value(index) else { return .null }
    return StorageClass(code: unsafe sqlite3_value_type(value))
  }

  /// Whether an argument is NULL.
  package func isNull(at index: Int) -> Bool {
    guard let value = unsafe value(index) else { return true }
    return unsafe sqlite3_value_type(value) == SQLITE_NULL
  }

  /// An integer; 0 for NULL.
  package func int64(at index: Int) -> Int64 {
    guard let value = unsafe value(index) else { return 0 }
    return unsafe sqlite3_value_int64(value)
  }

  /// A floating-point number; 0 for NULL.
  package func double(at index: Int) -> Double {
    guard let value = unsafe value(index) else { return 0 }
    return unsafe sqlite3_value_double(value)
  }

  /// Lends the UTF-8 bytes of a text; nil, without calling `body`, for NULL.
  package func withText<Result, Failure>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let value = unsafe value(index), let start = unsafe sqlite3_value_text(value) else { return nil }
    return try unsafe body(Span(_unsafeStart: start, count: Int(sqlite3_value_bytes(value))))
  }

  /// Lends the bytes of a blob; nil, without calling `body`, for NULL.
  package func withBlob<Result, Failure>(
    at index: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let value = unsafe value(index), !isNull(at: index) else { return nil }
    let start = unsafe sqlite3_value_blob(value)
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    return try unsafe body(RawSpan(_unsafeBytes: bytes))
  }

  /// A text, copied; nil for NULL.
  package func text(at index: Int) -> String? {
    withText(at: index) { utf8 in String(copying: utf8) }
  }

  /// A blob, copied; nil for NULL.
  package func blob(at index: Int) -> [UInt8]? {
    withBlob(at: index) { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
  }

  /// An argument in the storage class it has.
  package func value(at index: Int) -> Value {
    switch storageClass(at: index) {
    case .null: .null
    case .integer: .integer(int64(at: index))
    case .real: .real(double(at: index))
    case .text: text(at: index).map(Value.text) ?? .null
    case .blob: blob(at: index).map(Value.blob) ?? .null
    }
  }
}

// MARK: - Auxiliary data

extension FunctionArguments {
  /// What a function computes once from a constant argument and needs in every row: a compiled pattern, for example.
  ///
  /// SQLite keeps it with the statement as long as the argument is a constant or a bound parameter, and forgets it when
  /// the statement is reset. So `make` runs once per execution for a constant, and once per row otherwise.
  package func auxiliary<Kept: AnyObject>(
    at index: Int, as type: Kept.Type = Kept.self, make: () throws -> Kept
  ) rethrows -> Kept {
    guard let call = unsafe call, let slot = Int32(exactly: index) else { return try make() }
    if let kept = unsafe sqlite3_get_auxdata(call, slot) {
      let object = unsafe Unmanaged<AnyObject>.fromOpaque(kept).takeUnretainedValue()
      if let object = object as? Kept { return object }
    }
    let made = try make()
    // SQLite may give it back at once when memory is short; `made` is our own reference.
    unsafe sqlite3_set_auxdata(call, slot, Unmanaged<AnyObject>.passRetained(made).toOpaque(), releaseObject)
    return made
  }
}

/// Gives back a reference that SQLite held.
let releaseObject: @convention(c) (UnsafeMutableRawPointer?) -> Void = { reference in
  guard let reference = unsafe reference else { return }
  unsafe Unmanaged<AnyObject>.fromOpaque(reference).release()
}
