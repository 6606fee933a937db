extension SQLiteError.Code: CustomStringConvertible {
  /// SQLite's name of a common code, and always the number.
  package var description: String {
    if let name = Self.names[self] { return "\(name), \(rawValue)" }
    if let family = Self.names[primary] { return "\(family), extended \(rawValue)" }
    return "code \(rawValue)"
  }

  private static let names: [Self: String] = [
    .ok: "SQLITE_OK", .error: "SQLITE_ERROR", .internalError: "SQLITE_INTERNAL",
    .permission: "SQLITE_PERM",
    .abort: "SQLITE_ABORT", .busy: "SQLITE_BUSY", .locked: "SQLITE_LOCKED",
    .outOfMemory: "SQLITE_NOMEM",
    .readOnly: "SQLITE_READONLY", .interrupted: "SQLITE_INTERRUPT", .inputOutput: "SQLITE_IOERR",
    .corrupt: "SQLITE_CORRUPT", .notFound: "SQLITE_NOTFOUND", .full: "SQLITE_FULL",
    .cannotOpen: "SQLITE_CANTOPEN",
    .lockProtocol: "SQLITE_PROTOCOL", .schemaChanged: "SQLITE_SCHEMA", .tooBig: "SQLITE_TOOBIG",
    .constraint: "SQLITE_CONSTRAINT", .typeMismatch: "SQLITE_MISMATCH", .misuse: "SQLITE_MISUSE",
    .noLargeFiles: "SQLITE_NOLFS", .notAuthorized: "SQLITE_AUTH", .outOfRange: "SQLITE_RANGE",
    .notADatabase: "SQLITE_NOTADB",
    .missingCollation: "SQLITE_ERROR_MISSING_COLLSEQ", .abortedByRollback: "SQLITE_ABORT_ROLLBACK",
    .busyRecovery: "SQLITE_BUSY_RECOVERY", .busySnapshot: "SQLITE_BUSY_SNAPSHOT",
    .readOnlyRecovery: "SQLITE_READONLY_RECOVERY", .readOnlyMoved: "SQLITE_READONLY_DBMOVED",
    .readOnlyDirectory: "SQLITE_READONLY_DIRECTORY", .readOnlyRollback: "SQLITE_READONLY_ROLLBACK",
    .inputOutputRead: "SQLITE_IOERR_READ", .inputOutputShortRead: "SQLITE_IOERR_SHORT_READ",
    .inputOutputWrite: "SQLITE_IOERR_WRITE", .inputOutputSync: "SQLITE_IOERR_FSYNC",
    .cannotOpenIsDirectory: "SQLITE_CANTOPEN_ISDIR",
    .constraintCheck: "SQLITE_CONSTRAINT_CHECK",
    .constraintForeignKey: "SQLITE_CONSTRAINT_FOREIGNKEY",
    .constraintNotNull: "SQLITE_CONSTRAINT_NOTNULL",
    .constraintPrimaryKey: "SQLITE_CONSTRAINT_PRIMARYKEY",
    .constraintTrigger: "SQLITE_CONSTRAINT_TRIGGER", .constraintUnique: "SQLITE_CONSTRAINT_UNIQUE",
    .constraintRowID: "SQLITE_CONSTRAINT_ROWID", .constraintDataType: "SQLITE_CONSTRAINT_DATATYPE",
  ]
}
