package import SQLiteDriver

/// What the connections of a store have in common.
package struct ConnectionSettings: Sendable {
  package var location: Connection.Location
  package var isReadOnly = false
  package var logging = StatementLogging()
  /// How many connections there may be, or nil for as many as threads read at once and one that
  /// writes.
  package var mostConnections: Int?

  package init(location: Connection.Location) { self.location = location }
}
