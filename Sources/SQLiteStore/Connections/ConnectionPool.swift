package import ObjectRows
package import SQLiteDriver
internal import Synchronization

/// The connections of one store.
///
/// With write-ahead logging there is one connection for writing, and one for reading per thread
/// that reads: readers and the writer do not wait for each other. Readers of a read-only store have
/// their own connections too. Otherwise, and in memory, all callers take turns on one connection.
/// At the limit of connections, a reader uses the writing connection.
// Sendable: `main` is used only under `writing`, and `idleReaders` contains only unused readers.
package final class ConnectionPool: @unchecked Sendable {
  let settings: ConnectionSettings
  private let main: StoreConnection
  let makeReader: (@Sendable () throws(StoreError) -> Connection)?
  private let writing: Mutex<Writing>
  private let idleReaders = Mutex(Readers())
  private let separatesReaders: Atomic<Bool>
  /// The callers that wait for a sync.
  let diskWaits = Mutex(SyncWaiters())

  private struct Writing {
    var isClosed = false
    /// Whether the file is ready for its first write.
    var isPrepared = false
  }

  private struct Readers {
    var idle: [StoreConnection] = []
    var lentCount = 0
    var isClosed = false
  }

  /// The preparation for the first write.
  private let prepareForWriting: @Sendable (Connection) throws -> Void

  /// Creates a pool with a store's first connection; the others are opened when they are needed.
  ///
  /// - Parameters:
  ///   - makeReader: Opens another connection; nil if there can be none.
  ///   - prepareForWriting: Called once, before the first write.
  package init(
    _ connection: Connection, settings: ConnectionSettings,
    makeReader: (@Sendable () throws(StoreError) -> Connection)?,
    prepareForWriting: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) throws(StoreError) {
    self.settings = settings
    self.makeReader = makeReader
    self.prepareForWriting = prepareForWriting
    writing = Mutex(Writing())
    do {
      main = try StoreConnection(connection, settings)
      // Connections that only read never block each other.
      let isSafe = settings.isReadOnly ? true : try connection.get(.journalMode) == .wal
      separatesReaders = Atomic(makeReader != nil && isSafe && Self.allowsReaders(settings))
    } catch {
      throw StoreError(error)
    }
  }

  /// Whether connections other than the writing one are allowed.
  private static func allowsReaders(_ settings: ConnectionSettings) -> Bool {
    settings.maximumConnections ?? 2 > 1
  }

  /// Whether readers have their own connections.
  package var readsBesideWriter: Bool { separatesReaders.load(ordering: .relaxed) }

  /// Calls `body` with a connection for reading.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try StoreError.translating {
      guard readsBesideWriter, let makeReader, let reader = try takeReader(makeReader) else {
        return try withMain { main, _ in try body(main) }
      }
      defer { giveBack(reader) }
      return try body(reader.connection)
    }
  }

  /// Calls `body` with the connection for writing; one writer at a time.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    guard !settings.isReadOnly else { throw StoreError.readOnly(settings.location) }
    return try StoreError.translating {
      try withMain { main, isPrepared in
        if !isPrepared { try prepare(main) }
        isPrepared = true
        return try body(main)
      }
    }
  }

  private func prepare(_ connection: Connection) throws {
    try prepareForWriting(connection)
    guard makeReader != nil, !readsBesideWriter, Self.allowsReaders(settings) else { return }
    separatesReaders.store(try connection.get(.journalMode) == .wal, ordering: .relaxed)
  }

  /// Closes all connections.
  ///
  /// Connections that are in use for reading close when their reads end.
  package func close() throws {
    let idle = idleReaders.withLock { readers in
      readers.isClosed = true
      defer { readers.idle = [] }
      return readers.idle
    }
    try StoreError.translating {
      for reader in idle { try reader.connection.close() }
      try writing.withLock { state in
        state.isClosed = true
        try main.connection.close()
      }
    }
  }

  private func withMain<Result>(_ body: (Connection, inout Bool) throws -> Result) throws -> Result
  {
    // The lock's closure can return only sendable values; the result stays on this thread.
    var result: Result?
    try writing.withLock { state in
      guard !state.isClosed else { throw StoreError.closed(settings.location) }
      result = try body(main.connection, &state.isPrepared)
      main.explainStatements()
    }
    guard let result else { preconditionFailure("The closure has run.") }
    return result
  }

  /// A connection for one reader; nil if the limit of connections is reached.
  private func takeReader(_ makeReader: () throws(StoreError) -> Connection) throws
    -> StoreConnection?
  {
    let (isAllowed, idle) = try idleReaders.withLock { readers in
      guard !readers.isClosed else { throw StoreError.closed(settings.location) }
      if let most = settings.maximumConnections, readers.lentCount + 1 >= most {
        return (false, nil as StoreConnection?)
      }
      readers.lentCount += 1
      return (true, readers.idle.popLast())
    }
    guard isAllowed else { return nil }
    do {
      return try idle ?? StoreConnection(makeReader(), settings)
    } catch {
      idleReaders.withLock { $0.lentCount -= 1 }
      throw error
    }
  }

  private func giveBack(_ reader: StoreConnection) {
    reader.explainStatements()
    idleReaders.withLock { readers in
      readers.lentCount -= 1
      guard !readers.isClosed, readers.idle.count < Limits.idleReaders else { return }
      readers.idle.append(reader)
    }
  }
}
