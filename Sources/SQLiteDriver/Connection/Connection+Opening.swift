internal import CSQLite
internal import CSQLiteGatheredLog

extension Connection {
  /// Opens the file without reading it.
  ///
  /// Extended result codes are on from the first call.
  static func openHandle(of location: Location, options: Options) throws(SQLiteError)
    -> OpaquePointer
  {
    var opened: OpaquePointer?
    let flags = options.mode.flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let uri = location.uri(isImmutable: options.isImmutable)
    let files = options.gathersLog ? try gatheredLog(path: location.description) : options.fileLayer
    let code = unsafe sqlite3_open_v2(uri, &opened, flags, files)
    if code == SQLITE_OK, let handle = unsafe opened { return unsafe handle }
    // SQLite returns a handle even for most failures; it has the message and must be closed.
    defer { unsafe sqlite3_close_v2(opened) }
    throw unsafe SQLiteError(handle: opened, code: code, path: location.description)
  }

  /// The result of registering the VFS for gathered logs, once for the process.
  private static let registration = parhelion_gathered_log_register()

  /// Returns the name of the VFS for gathered logs, or throws if it could not be registered.
  private static func gatheredLog(path: String) throws(SQLiteError) -> String {
    guard registration == SQLITE_OK else {
      throw SQLiteError(
        code: SQLiteError.Code(rawValue: registration),
        message: "the files with a gathered log cannot be registered",
        context: .init(path: path))
    }
    return PARHELION_GATHERED_LOG
  }

  /// Applies the options that the file name cannot express.
  func configure() throws(SQLiteError) {
    let handle = try unsafe handle()
    try unsafe set(SQLITE_DBCONFIG_DEFENSIVE, to: options.isDefensive, on: handle)
    try unsafe set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: options.trustsSchema, on: handle)
    // A misspelled column in double quotes is an error, not a text.
    try unsafe set(SQLITE_DBCONFIG_DQS_DML, to: false, on: handle)
    try setBusyPolicy(options.busyPolicy)
    unsafe installCommitGuard(on: handle)
  }

  private func set(_ option: Int32, to isOn: Bool, on handle: OpaquePointer) throws(SQLiteError) {
    try check(unsafe parhelion_sqlite3_db_config_set(handle, option, isOn ? 1 : 0))
  }
}

extension Connection.Mode {
  fileprivate var flags: Int32 {
    switch self {
    case .readOnly: SQLITE_OPEN_READONLY
    case .readWrite: SQLITE_OPEN_READWRITE
    case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
  }
}
