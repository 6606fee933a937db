internal import CSQLite

extension Connection {
  /// Makes `table` readable under `name` on this connection.
  ///
  /// The table lives as long as the connection and must not retain it.
  package func register(table: any VirtualTable, named name: String) throws(SQLiteError) {
    let handle = try unsafe handle()
    let registration = unsafe Unmanaged<AnyObject>.passRetained(VirtualTableRegistration(table))
    // SQLite has already released a registration that it rejects.
    try check(
      unsafe sqlite3_create_module_v2(
        handle, name, VirtualTableModule.methods, registration.toOpaque(), releaseObject))
  }
}

/// Keeps the table at one address for the callbacks.
final class VirtualTableRegistration {
  let table: any VirtualTable
  init(_ table: any VirtualTable) { self.table = table }
}

/// Keeps a cursor at one address for the callbacks.
final class VirtualTableCursorBox {
  let cursor: any VirtualTableCursor
  init(_ cursor: any VirtualTableCursor) { self.cursor = cursor }
}
