public import CSQLite

/// The arguments of one call of a registered function, borrowed for that call.
///
/// `Statement.readRows` also passes a row's columns in this form.
@safe public struct FunctionArguments: ~Copyable {
  /// The number of arguments.
  @usableFromInline package let count: Int

  @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>?
  private let call: OpaquePointer?

  /// Creates the arguments of one call.
  ///
  /// - Parameter call: The function call, for auxiliary data; nil if there is none.
  init(count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?, call: OpaquePointer?) {
    self.count = Int(count)
    unsafe self.values = unsafe values
    unsafe self.call = unsafe call
  }

  @inlinable @inline(__always)
  func argument(_ index: Int) -> OpaquePointer? {
    guard UInt(bitPattern: index) < UInt(bitPattern: count), let values = unsafe values else {
      return nil
    }
    return unsafe values[index]
  }
}

// MARK: - Reading

extension FunctionArguments: BorrowedValues {
  /// The storage class of an argument.
  public func storageClass(at index: Int) -> StorageClass {
    guard let value = unsafe argument(index) else { return .null }
    return StorageClass(code: unsafe sqlite3_value_type(value))
  }

  /// Whether an argument is NULL.
  @inlinable
  public func isNull(at index: Int) -> Bool {
    guard let value = unsafe argument(index) else { return true }
    return unsafe sqlite3_value_type(value) == SQLITE_NULL
  }

  /// An integer; 0 for NULL.
  @inlinable
  public func int64(at index: Int) -> Int64 {
    guard let value = unsafe argument(index) else { return 0 }
    return unsafe sqlite3_value_int64(value)
  }

  /// A floating-point number; 0 for NULL.
  @inlinable
  public func double(at index: Int) -> Double {
    guard let value = unsafe argument(index) else { return 0 }
    return unsafe sqlite3_value_double(value)
  }

  /// Calls `body` with the UTF-8 bytes of a text; returns nil, without the call, for NULL.
  @inlinable
  public func withText<Result, Failure>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let value = unsafe argument(index), let start = unsafe sqlite3_value_text(value) else {
      return nil
    }
    return try unsafe body(Span(_unsafeStart: start, count: Int(sqlite3_value_bytes(value))))
  }

  /// Calls `body` with the bytes of a blob; returns nil, without the call, for NULL.
  @inlinable
  public func withBlob<Result, Failure>(
    at index: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let value = unsafe argument(index) else { return nil }
    let start = unsafe sqlite3_value_blob(value)
    // An empty blob has no address; its type distinguishes it from NULL.
    if unsafe start == nil, isNull(at: index) { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    return try unsafe body(RawSpan(_unsafeBytes: bytes))
  }
}

// MARK: - Auxiliary data

extension FunctionArguments {
  /// A value that a function computes once from a constant argument, such as a compiled pattern.
  ///
  /// SQLite keeps it with the statement while the argument is a constant or a bound parameter, and
  /// drops it at the reset. So `make` runs once per execution for a constant, and once per row
  /// otherwise.
  package func auxiliary<Kept: AnyObject>(
    at index: Int, as type: Kept.Type = Kept.self, make: () throws -> Kept
  ) rethrows -> Kept {
    guard let call = unsafe call, let slot = Int32(exactly: index) else { return try make() }
    if let kept = unsafe sqlite3_get_auxdata(call, slot) {
      let object = unsafe Unmanaged<AnyObject>.fromOpaque(kept).takeUnretainedValue()
      if let object = object as? Kept { return object }
    }
    let created = try make()
    // SQLite may release it immediately if memory is exhausted; `created` is a separate reference.
    unsafe sqlite3_set_auxdata(
      call, slot, Unmanaged<AnyObject>.passRetained(created).toOpaque(), releaseObject)
    return created
  }
}

/// Releases a reference that SQLite held.
let releaseObject: @convention(c) (UnsafeMutableRawPointer?) -> Void = { reference in
  guard let reference = unsafe reference else { return }
  unsafe Unmanaged<AnyObject>.fromOpaque(reference).release()
}
