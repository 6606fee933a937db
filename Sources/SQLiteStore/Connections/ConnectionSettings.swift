package import SQLiteDriver

/// The settings that all connections of a store share.
package struct ConnectionSettings: Sendable {
  package var location: Connection.Location
  package var isReadOnly = false
  package var logging = StatementLogging()
  /// The maximum number of connections; nil for one per reading thread and one that writes.
  package var maximumConnections: Int?

  package init(location: Connection.Location) { self.location = location }
}
