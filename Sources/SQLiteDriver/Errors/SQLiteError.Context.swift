extension SQLiteError {
  /// The place of an error.
  ///
  /// Unknown parts are nil.
  package struct Context: Hashable, Sendable {
    /// The file of the connection, or `:memory:`.
    package var path: String?

    /// The failed statement, truncated to `Limits.errorSQLBytes`.
    ///
    /// It contains no bound values.
    package var sql: String?

    /// The byte offset in the SQL text of a syntax error or an unknown name.
    package var sqlOffset: Int?

    /// The operating system's `errno` of a failed file operation.
    package var systemError: Int?

    package init(
      path: String? = nil, sql: String? = nil, sqlOffset: Int? = nil, systemError: Int? = nil
    ) {
      self.path = path
      self.sql = sql.map(Self.shortened)
      self.sqlOffset = sqlOffset
      self.systemError = systemError
    }

    private static func shortened(_ sql: String) -> String {
      guard sql.utf8.count > Limits.errorSQLBytes else { return sql }
      return String(decoding: sql.utf8.prefix(Limits.errorSQLBytes), as: UTF8.self) + "…"
    }
  }
}
