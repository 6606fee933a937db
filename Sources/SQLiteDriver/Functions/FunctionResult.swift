internal import CSQLite

/// Writes the result of a registered function, or of a virtual table's column.
enum FunctionResult {
  static func set(_ value: Value, on call: OpaquePointer?) {
    switch value {
    case .null: unsafe sqlite3_result_null(call)
    case .integer(let number): unsafe sqlite3_result_int64(call, number)
    case .real(let number): unsafe sqlite3_result_double(call, number)
    case .text(var text):
      text.withUTF8 { utf8 in
        unsafe withAddress(of: UnsafeRawBufferPointer(utf8)) { start in
          let characters = unsafe start.assumingMemoryBound(to: CChar.self)
          unsafe sqlite3_result_text64(
            call, characters, UInt64(utf8.count), parhelion_sqlite3_transient(), UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe withAddress(of: bytes) { start in
          unsafe sqlite3_result_blob64(
            call, start, UInt64(bytes.count), parhelion_sqlite3_transient())
        }
      }
    }
  }

  /// Makes the call fail with the error's text.
  static func fail(_ error: any Error, on call: OpaquePointer?) {
    let message = (error as? SQLiteError)?.message ?? "\(error)"
    unsafe sqlite3_result_error(call, message, -1)
    // An error of SQLite keeps its code; the message that was set stays.
    if let error = error as? SQLiteError {
      unsafe sqlite3_result_error_code(call, error.code.rawValue)
    }
  }

  /// Calls `body` with a non-nil address, even for an empty buffer: SQLite reads a nil address as
  /// NULL.
  private static func withAddress(
    of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawPointer) -> Void
  ) {
    if let start = bytes.baseAddress { return unsafe body(start) }
    var empty: UInt8 = 0
    unsafe withUnsafePointer(to: &empty) { unsafe body(UnsafeRawPointer($0)) }
  }
}
