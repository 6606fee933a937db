package import SQLiteDriver

/// How the connections of a store are opened.
package struct ConnectionSettings: Sendable {
  package var location: Connection.Location
  package var isReadOnly = false
  /// Promises that nobody writes the file: what a store in a folder that cannot be written needs.
  package var isImmutable = false
  /// How long a connection waits for the locks of others.
  package var timeout = Limits.lockTimeout
  /// Settings that the program asked for, by the names that SQLite has for them.
  ///
  /// The journal mode is not among them: it belongs to the file and was set when the store was opened.
  package var pragmas: [(name: String, value: String)] = []
  package var logging = StatementLogging()

  package init(location: Connection.Location) { self.location = location }

  /// The options of a connection that only reads, or of one that may write.
  package func options(readOnly: Bool) -> Connection.Options {
    var options = Connection.Options(mode: readOnly ? .readOnly : .readWrite)
    options.isImmutable = isImmutable
    options.busyPolicy = .wait(timeout)
    options.statementCacheCapacity = Limits.statementsPerConnection
    return options
  }
}
