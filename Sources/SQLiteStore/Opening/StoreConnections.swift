import Foundation
import ObjectRows
import SQLiteDriver

/// Opens the connections of one store with the same settings.
struct StoreConnections: Sendable {
  let location: StoreLocation
  let options: StoreOptions
  let trustsSchema: Bool

  /// The connection for an access to the file.
  func connection(_ access: FileAccess) throws(StoreError) -> Connection {
    switch access {
    case .write: try writer()
    case .read: try reader(isImmutable: false)
    case .readUnlocked: try reader(isImmutable: true)
    case .readRolledBack: try queryOnly(open(.readWrite))
    case .readCopy: try copyReader()
    }
  }

  /// The connection that writes; creates the file if it is missing.
  func writer() throws(StoreError) -> Connection { try open(.create) }

  /// A connection that reads.
  func reader(isImmutable: Bool) throws(StoreError) -> Connection {
    try open(.readOnly, isImmutable: isImmutable)
  }

  /// A connection to a copy of the file, its log and its journal.
  ///
  /// The copy is unlinked when this method returns. If the file can be read during a running write,
  /// there is no copy.
  func copyReader() throws(StoreError) -> Connection {
    guard case .file(let url) = location else { return try reader(isImmutable: false) }
    if let connection = readerBesideWrite(of: url) { return connection }
    let files = options.files
    let folder = files.temporaryFolder()
      .appendingPathComponent("parhelion-\(options.makeUUID().uuidString)", isDirectory: true)
    defer { try? files.removeItem(at: folder) }
    do {
      let suffixes = ["", "-wal", "-journal"].filter {
        files.itemExists(at: URL(fileURLWithPath: url.path + $0))
      }
      try files.createDirectory(at: folder)
      for suffix in suffixes {
        let copy = folder.appendingPathComponent("store" + suffix)
        try files.copyItem(at: URL(fileURLWithPath: url.path + suffix), to: copy)
        try files.makeWritable(copy)
      }
    } catch {
      throw StoreError(
        .cannotOpen,
        "The store \(url.path) and its log or journal cannot be copied to read it: \(error.localizedDescription)",
        context: ["file": url.path], underlying: error)
    }
    let copy = StoreConnections(
      location: .file(folder.appendingPathComponent("store")), options: options,
      trustsSchema: trustsSchema)
    return try queryOnly(copy.open(.readWrite))
  }

  /// A reader of a file whose journal belongs to a running write; nil if the file must be copied.
  ///
  /// A read-only connection cannot roll back an interrupted write, so SQLite fails to read then.
  private func readerBesideWrite(of url: URL) -> Connection? {
    guard options.files.itemExists(at: URL(fileURLWithPath: url.path + "-journal")),
      let connection = try? reader(isImmutable: false),
      (try? connection.rows("SELECT count(*) FROM sqlite_schema")) != nil
    else { return nil }
    return connection
  }

  /// Rolls back an interrupted write by reading, and prevents other writes.
  ///
  /// The read also opens the files of a copy, so the connection can use them after they are
  /// unlinked.
  private func queryOnly(_ connection: Connection) throws(StoreError) -> Connection {
    try location.sqlite { () throws(SQLiteError) in
      _ = try connection.rows("SELECT count(*) FROM sqlite_schema")
      try connection.set(.queryOnly, to: true)
    }
    return connection
  }

  private func open(_ mode: Connection.Mode, isImmutable: Bool = false) throws(StoreError)
    -> Connection
  {
    var connectionOptions = Connection.Options(mode: mode)
    connectionOptions.isImmutable = isImmutable
    connectionOptions.fileLayer = options.files.databaseLayer
    connectionOptions.busyPolicy = .wait(options.timeout)
    connectionOptions.trustsSchema = trustsSchema
    connectionOptions.statementCacheCapacity = Limits.statementsPerConnection
    return try location.sqlite { () throws(SQLiteError) in
      let connection: Connection
      switch location {
      case .file(let url): connection = try Connection(.file(url.path), options: connectionOptions)
      case .memory: connection = try Connection(.memory, options: connectionOptions)
      }
      try setUp(connection)
      return connection
    }
  }

  private func setUp(_ connection: Connection) throws(SQLiteError) {
    try connection.setCheckpointsOnClose(false)
    try connection.set(.recursiveTriggers, to: true)
    try connection.set(.cacheSize, to: Limits.cachedPages)
    try registerStoreFunctions(on: connection)
    for (name, value) in options.pragmas.sorted(by: { $0.key < $1.key })
    where !Self.filePragmas.contains(name.lowercased()) {
      try connection.setPragma(named: name, to: value)
    }
    if let synchronous = options.debugging.synchronous {
      try connection.set(.synchronous, to: synchronous)
    }
  }

  /// Settings of the file, not of a connection.
  static let filePragmas: Set<String> = ["journal_mode", "auto_vacuum", "page_size", "encoding"]

  /// The journal mode that the options ask for, or the default.
  func journalMode() throws(StoreError) -> JournalMode {
    guard let (_, name) = options.pragmas.first(where: { $0.key.lowercased() == "journal_mode" })
    else { return .wal }
    guard let mode = JournalMode(rawValue: name.lowercased()) else {
      throw StoreError(
        .cannotOpen, "The options ask for the journal mode \(name), which SQLite does not know.",
        context: ["file": location.path, "pragma": "journal_mode"])
    }
    return mode
  }

  var asksForJournalMode: Bool {
    options.pragmas.contains { $0.key.lowercased() == "journal_mode" }
  }
}
