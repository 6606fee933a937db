extension SQLiteError {
  /// The remedy for the error.
  package var remedy: String {
    Self.remedies[code] ?? Self.remedies[code.primary] ?? Self.unknownRemedy
  }

  private static let unknownRemedy = "See the list of result codes in SQLite's documentation."

  private static let remedies: [Code: String] = [
    .error: "Correct the SQL, or the schema it was written for.",
    .missingCollation:
      "Register the collation on this connection before the statement is prepared.",
    .permission: "Give the process the right to read and write the file and its folder.",
    .abortedByRollback:
      "The transaction was rolled back meanwhile; run it again from its beginning.",
    .busy:
      "Another connection holds a lock: end its transaction, raise the busy timeout, or try again.",
    .busySnapshot:
      "The data changed after this transaction first read it: roll back and run the transaction again, as immediate.",
    .busyRecovery: "Another process is recovering the write-ahead log after a crash: try again.",
    .locked: "Another statement of this process uses the same table: finish or reset it first.",
    .outOfMemory: "Free memory, or read less at once.",
    .readOnly:
      "Open the file for writing, and check that the process may write the file and its folder.",
    .readOnlyMoved:
      "The file was moved or deleted while it was open: close the connection and open the file again.",
    .readOnlyRollback:
      "A crashed write has to be rolled back first: open the file once for writing.",
    .readOnlyRecovery:
      "The write-ahead log has to be recovered first: open the file once for writing.",
    .interrupted: "The operation was interrupted on request; it can be run again.",
    .inputOutput: "Check the disk and the file system, and whether the file is on a network drive.",
    .inputOutputShortRead:
      "The file is shorter than its header says, so it was truncated. Restore it from a backup.",
    .corrupt:
      "The file is damaged. Keep a copy of it, and restore a backup.",
    .corruptIndex: "An index disagrees with its table; REINDEX rebuilds it.",
    .full:
      "Free space on the volume, or raise max_page_count. Nothing of the transaction was kept.",
    .cannotOpen:
      "Check that the folder exists, that the path is a file, and that the process may create files there.",
    .cannotOpenIsDirectory: "The path is a folder; name a file in it.",
    .lockProtocol: "Too many processes raced for the write-ahead log: try again.",
    .schemaChanged: "The schema changed while the statement ran: run it again.",
    .tooBig: "A text or blob is longer than SQLite's limit; keep it in a separate file.",
    .constraint: "The row breaks a rule of its table.",
    .constraintCheck: "The row fails a CHECK of its table.",
    .constraintForeignKey: "The row refers to one that does not exist, or is still referred to.",
    .constraintNotNull: "A required column has no value.",
    .constraintPrimaryKey: "Another row already has this primary key.",
    .constraintTrigger: "A trigger refused the change.",
    .constraintUnique: "Another row already has this value in a unique column.",
    .constraintRowID: "Another row already has this row number.",
    .constraintDataType: "The value's type does not fit the column of a STRICT table.",
    .typeMismatch: "Give a value of the column's type; a row number must be an integer.",
    .misuse: "The driver was called in a way it does not allow; correct the calling code.",
    .notAuthorized: "The connection's authorizer refused the statement.",
    .outOfRange: "The statement has fewer parameters than were bound.",
    .notADatabase: "The file is not an SQLite database, or is encrypted. Check the path.",
  ]
}
