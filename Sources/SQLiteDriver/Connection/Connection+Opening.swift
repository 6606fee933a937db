internal import CSQLite

extension Connection {
  /// Opens the file without reading it.
  ///
  /// Extended result codes are on from the first call.
  static func openHandle(of location: Location, options: Options) throws(SQLiteError) -> OpaquePointer {
    var opened: OpaquePointer?
    let flags = options.mode.flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(location.uri(isImmutable: options.isImmutable), &opened, flags, nil)
    if code == SQLITE_OK, let handle = unsafe opened { return unsafe handle }
    // SQLite gives a handle even for most failures; it holds the message and must be closed.
    defer { unsafe sqlite3_close_v2(opened) }
    throw unsafe SQLiteError(handle: opened, code: code, path: location.description)
  }

  /// Applies what `Options` asks for and the file name cannot say.
  func configure() throws(SQLiteError) {
    let handle = try unsafe handle()
    try unsafe set(SQLITE_DBCONFIG_DEFENSIVE, to: options.isDefensive, on: handle)
    try unsafe set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, to: options.trustsSchema, on: handle)
    // A misspelt column in double quotes is an error, not a text.
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
