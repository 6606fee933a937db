internal import CSQLite

/// The C functions through which SQLite reads any `VirtualTable`.
///
/// SQLite passes the structures that `xConnect` and `xOpen` created. They begin with SQLite's own
/// part, as it requires, followed by the Swift object.
enum VirtualTableModule {
  /// A connected table: SQLite's part first.
  @unsafe struct Table {
    var base = unsafe sqlite3_vtab()
    let registration: Unmanaged<VirtualTableRegistration>
  }

  /// An open cursor: SQLite's part first.
  @unsafe struct Cursor {
    var base = unsafe sqlite3_vtab_cursor()
    let box: Unmanaged<VirtualTableCursorBox>
  }

  /// One table of functions for all registrations.
  ///
  /// It is written once here, only read afterwards, and never freed.
  nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_module> = {
    let methods = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    var module = sqlite3_module()
    unsafe module.xConnect = connect
    unsafe module.xBestIndex = bestIndex
    unsafe module.xDisconnect = disconnect
    unsafe module.xOpen = open
    unsafe module.xClose = close
    unsafe module.xFilter = filter
    unsafe module.xNext = next
    unsafe module.xEof = { cursor in unsafe VirtualTableModule.cursor(cursor).isAtEnd ? 1 : 0 }
    unsafe module.xColumn = column
    unsafe module.xRowid = { cursor, result in
      unsafe result?.pointee = VirtualTableModule.cursor(cursor).rowID
      return SQLITE_OK
    }
    unsafe methods.initialize(to: module)
    return unsafe UnsafePointer(methods)
  }()
}

// MARK: - Tables

extension VirtualTableModule {
  typealias Connect =
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

  fileprivate static let connect: Connect = { connection, data, _, _, result, _ in
    guard let data = unsafe data else { return SQLITE_INTERNAL }
    let registration = unsafe Unmanaged<VirtualTableRegistration>.fromOpaque(data)
    let declaration = unsafe registration.takeUnretainedValue().table.declaration
    let code = unsafe sqlite3_declare_vtab(connection, declaration)
    guard code == SQLITE_OK else { return code }
    let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    unsafe table.initialize(to: Table(registration: registration))
    unsafe result?.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(
      to: sqlite3_vtab.self)
    return SQLITE_OK
  }

  fileprivate static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 =
    { table in
      unsafe UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }

  typealias BestIndex =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?
    ) -> Int32

  fileprivate static let bestIndex: BestIndex = { table, info in
    guard let info = unsafe info else { return SQLITE_INTERNAL }
    return unsafe reporting(on: table) {
      var query = unsafe VirtualTableQuery(info)
      try unsafe VirtualTableModule.table(table).plan(&query)
      unsafe query.answer(info)
    }
  }

  fileprivate static func table(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> any VirtualTable {
    guard let table = unsafe UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self)
    else {
      preconditionFailure("SQLite called a virtual table's function without the table.")
    }
    return unsafe table.pointee.registration.takeUnretainedValue().table
  }

  /// Runs `body`; an error that it throws becomes the statement's error message.
  fileprivate static func reporting(
    on table: UnsafeMutablePointer<sqlite3_vtab>?, _ body: () throws -> Void
  ) -> Int32 {
    do {
      try body()
      return SQLITE_OK
    } catch {
      let message = (error as? SQLiteError)?.message ?? "\(error)"
      unsafe sqlite3_free(table?.pointee.zErrMsg)
      unsafe table?.pointee.zErrMsg = copy(message)
      return (error as? SQLiteError)?.code.rawValue ?? SQLITE_ERROR
    }
  }

  /// A copy that SQLite frees; nil if memory is exhausted, which leaves SQLite's general message.
  private static func copy(_ message: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = message.utf8CString
    guard let copy = unsafe sqlite3_malloc64(UInt64(bytes.count)) else { return nil }
    unsafe bytes.withUnsafeBytes {
      unsafe copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count)
    }
    return unsafe copy.assumingMemoryBound(to: CChar.self)
  }
}

// MARK: - Cursors

extension VirtualTableModule {
  typealias Open =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vtab>?,
      UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
    ) -> Int32

  fileprivate static let open: Open = { table, result in
    unsafe reporting(on: table) {
      let box = VirtualTableCursorBox(try unsafe VirtualTableModule.table(table).makeCursor())
      let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      unsafe cursor.initialize(to: Cursor(box: Unmanaged.passRetained(box)))
      unsafe result?.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(
        to: sqlite3_vtab_cursor.self)
    }
  }

  typealias OnCursor = @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32

  fileprivate static let close: OnCursor = { cursor in
    guard let cursor = unsafe UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
    else {
      return SQLITE_OK
    }
    unsafe cursor.pointee.box.release()
    unsafe cursor.deallocate()
    return SQLITE_OK
  }

  typealias Filter =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vtab_cursor>?, Int32, UnsafePointer<CChar>?, Int32,
      UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

  fileprivate static let filter: Filter = { cursor, strategy, _, count, values in
    unsafe reporting(on: cursor?.pointee.pVtab) {
      let arguments = unsafe FunctionArguments(count: count, values: values, call: nil)
      try unsafe VirtualTableModule.cursor(cursor).begin(strategy: strategy, arguments)
    }
  }

  fileprivate static let next: OnCursor = { cursor in
    unsafe reporting(on: cursor?.pointee.pVtab) {
      try unsafe VirtualTableModule.cursor(cursor).advance()
    }
  }

  typealias Column =
    @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?, OpaquePointer?, Int32) -> Int32

  fileprivate static let column: Column = { cursor, call, index in
    unsafe reporting(on: cursor?.pointee.pVtab) {
      unsafe FunctionResult.set(try VirtualTableModule.cursor(cursor).column(Int(index)), on: call)
    }
  }

  fileprivate static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?)
    -> any VirtualTableCursor
  {
    guard let cursor = unsafe UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
    else {
      preconditionFailure("SQLite called a virtual table's function without the cursor.")
    }
    return unsafe cursor.pointee.box.takeUnretainedValue().cursor
  }
}
