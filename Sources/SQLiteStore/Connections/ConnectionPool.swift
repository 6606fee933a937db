package import ObjectRows
package import SQLiteDriver
internal import Synchronization

/// The connections of one store.
///
/// With write-ahead logging there is one connection for writing and as many for reading as threads
/// read at once: a reader waits for nobody, and the writer for no reader. Without it, and in
/// memory, everything uses the one connection, one after the other; so does a thread that reads
/// when there may be no further connection.
// Sendable: `main` is used only under `writing`, `idleReaders` has the readers that nobody has.
package final class ConnectionPool: @unchecked Sendable {
  let settings: ConnectionSettings
  private let main: StoreConnection
  let makeReader: (@Sendable () throws(StoreError) -> Connection)?
  private let writing: Mutex<Writing>
  private let idleReaders = Mutex(Readers())
  private let separatesReaders: Atomic<Bool>
  /// Who waits for the disk.
  let diskWaits = Mutex(SyncWaiters())

  private struct Writing {
    var isClosed = false
    /// Whether the file was made ready for its first write.
    var isPrepared = false
  }

  private struct Readers {
    var idle: [StoreConnection] = []
    var lentCount = 0
    var isClosed = false
  }

  /// What the pool does before its first write.
  private let prepareForWriting: @Sendable (Connection) throws -> Void

  /// Takes a store's first connection; the others are opened when they are needed.
  ///
  /// - Parameters:
  ///   - makeReader: Opens a further connection; nil where there can be none.
  ///   - prepareForWriting: Called once before the first write.
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
      // Who only reads never stands in the way of others that only read.
      let isSafe = settings.isReadOnly ? true : try connection.get(.journalMode) == .wal
      separatesReaders = Atomic(makeReader != nil && isSafe && Self.allowsReaders(settings))
    } catch {
      throw StoreError(error)
    }
  }

  /// Whether there may be connections beside the one that writes.
  private static func allowsReaders(_ settings: ConnectionSettings) -> Bool {
    settings.mostConnections ?? 2 > 1
  }

  /// Whether readers have connections of their own.
  package var readsBesideWriter: Bool { separatesReaders.load(ordering: .relaxed) }

  /// Lends a connection for reading.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try StoreError.translating {
      guard readsBesideWriter, let makeReader, let reader = try takeReader(makeReader) else {
        return try withMain { main, _ in try body(main) }
      }
      defer { giveBack(reader) }
      return try body(reader.connection)
    }
  }

  /// Lends the connection for writing; one writer at a time.
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
  /// Those that are reading close when they are done.
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
    // The lock's closure can only return what may cross threads; the result stays on this one.
    var result: Result?
    try writing.withLock { state in
      guard !state.isClosed else { throw StoreError.closed(settings.location) }
      result = try body(main.connection, &state.isPrepared)
      main.explainStatements()
    }
    guard let result else { preconditionFailure("The closure has run.") }
    return result
  }

  /// A connection for one reader; nil where there may be no further one.
  private func takeReader(_ makeReader: () throws(StoreError) -> Connection) throws
    -> StoreConnection?
  {
    let (isAllowed, idle) = try idleReaders.withLock { readers in
      guard !readers.isClosed else { throw StoreError.closed(settings.location) }
      if let most = settings.mostConnections, readers.lentCount + 1 >= most {
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
