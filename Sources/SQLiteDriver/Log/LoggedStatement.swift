/// One statement that has run to its end, was reset, or failed.
package struct LoggedStatement: Hashable, Sendable {
  /// The SQL; with the bound values in the place of the parameters where the log was asked to
  /// expand them.
  package let sql: String

  /// From its first step to its end, the time its reader took between rows included.
  package let duration: Duration
}
