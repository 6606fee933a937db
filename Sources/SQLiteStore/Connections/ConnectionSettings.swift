package import SQLiteDriver

/// What the connections of a store have in common.
package struct ConnectionSettings: Sendable {
  package var location: Connection.Location
  package var isReadOnly = false
  package var logging = StatementLogging()

  package init(location: Connection.Location) { self.location = location }
}
