/// A statement that finished, was reset, or failed.
package struct LoggedStatement: Hashable, Sendable {
  /// The SQL, with bound values in place of the parameters if the log expands them.
  package let sql: String

  /// The time from the first step to the end, including the reader's time between rows.
  package let duration: Duration
}
