internal import ObjectRows
package import SQLiteDriver
internal import Synchronization

/// The connections of one store.
///
/// With write-ahead logging there is one connection for writing and as many for reading as threads read at once: a
/// reader waits for nobody, and the writer for no reader. Without it, and in memory, everything uses the one connection,
/// one after the other.
// Sendable: `writing` guards the writer, `idleReaders` the readers that nobody has.
package final class ConnectionPool: @unchecked Sendable {
  private let settings: ConnectionSettings
  private let main: StoreConnection
  /// What makes the file ready for the first write; run once, before it.
  private let prepareForWriting: (() throws -> Void)?
  private let writing = Mutex(Writing())
  private let idleReaders = Mutex<Readers>(Readers())
  /// Whether readers have connections of their own.
  package let readsBesideWriter: Bool

  private struct Writing {
    var isClosed = false
    var isPrepared = false
  }

  private struct Readers {
    var idle: [StoreConnection] = []
    var isClosed = false
  }

  /// Takes a store's first connection; the others are opened when they are needed.
  package init(
    _ connection: Connection, settings: ConnectionSettings, prepareForWriting: (() throws -> Void)? = nil
  ) throws(SQLiteError) {
    self.settings = settings
    self.prepareForWriting = prepareForWriting
    main = try StoreConnection(connection, settings)
    readsBesideWriter = settings.isImmutable ? true : try Self.isShared(connection)
  }

  private static func isShared(_ connection: Connection) throws(SQLiteError) -> Bool {
    if case .memory = connection.location { return false }
    return try connection.get(.journalMode) == .wal
  }

  /// Lends a connection for reading.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try StoreError.translating {
      guard readsBesideWriter else { return try withMain(body) }
      let reader = try takeReader()
      defer { giveBack(reader) }
      return try body(reader.connection)
    }
  }

  /// Lends the connection for writing; one writer at a time.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !settings.isReadOnly else { throw StoreError.readOnly(settings.location) }
    return try StoreError.translating { try withMain(isWriting: true, body) }
  }

  /// Closes all connections.
  ///
  /// Those that are reading close when they are done.
  package func close() throws {
    let idle = idleReaders.withLock { readers in
      readers.isClosed = true
      defer { readers.idle = [] }
      return readers.idle
    }
    try StoreError.translating {
      for reader in idle { try reader.connection.close() }
      try writing.withLock { writing in
        writing.isClosed = true
        try main.connection.close()
      }
    }
  }

  private func withMain<Result>(
    isWriting: Bool = false, _ body: (Connection) throws -> Result
  ) throws -> Result {
    // The lock's closure can only return what may cross threads; the result stays on this one.
    var result: Result?
    try writing.withLock { writing in
      guard !writing.isClosed else { throw StoreError.closed(settings.location) }
      if isWriting, !writing.isPrepared {
        try prepareForWriting?()
        writing.isPrepared = true
      }
      result = try body(main.connection)
      main.explainStatements()
    }
    guard let result else { preconditionFailure("The closure has run.") }
    return result
  }

  private func takeReader() throws -> StoreConnection {
    let idle = try idleReaders.withLock { readers in
      guard !readers.isClosed else { throw StoreError.closed(settings.location) }
      return readers.idle.popLast()
    }
    return try idle ?? StoreConnection(settings, readOnly: true)
  }

  private func giveBack(_ reader: StoreConnection) {
    reader.explainStatements()
    idleReaders.withLock { readers in
      guard !readers.isClosed, readers.idle.count < Limits.idleReaders else { return }
      readers.idle.append(reader)
    }
  }
}
