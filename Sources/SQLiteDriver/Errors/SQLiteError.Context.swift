extension SQLiteError {
  /// Where an error happened.
  ///
  /// Each part is there when it is known.
  package struct Context: Hashable, Sendable {
    /// The file of the connection, or `:memory:`.
    package var path: String?

    /// The statement that failed, cut to `Limits.errorSQLBytes`.
    ///
    /// It has no bound values in it.
    package var sql: String?

    /// The byte of the SQL text where a syntax error or an unknown name begins.
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
