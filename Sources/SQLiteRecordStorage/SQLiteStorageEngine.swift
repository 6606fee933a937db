internal import Dispatch
package import RecordStorage
internal import SQLiteDriver
internal import Synchronization

/// A store in an SQLite file: one writer groups commits, and each read has its own snapshot.
///
/// `DESIGN.md` has the details and the measurements.
package final class SQLiteStorageEngine: StorageEngine {
  /// The folder of the store.
  package let path: String

  let folder: DataFolder
  private let writes: WriteQueue
  private let reads: ReaderPool
  /// Released when the engine is closed or deallocated.
  private let ownership: Mutex<FolderLock?>

  /// The queue of long-running maintenance.
  let maintenance = DispatchQueue(label: "parhelion.storage.maintenance")

  /// Opens the store of a folder.
  ///
  /// A server creates a missing folder and store, and upgrades a store of an earlier version.
  package convenience init(folder path: String, options: Options = Options()) throws {
    let folder = DataFolder(path: path)
    if options.role == .server { try folder.create() }
    try self.init(folder, options.role == .server ? FolderLock(of: folder) : nil, options)
  }

  /// Opens the store of a folder whose lock the caller holds, if its role needs one.
  init(_ folder: DataFolder, _ lock: FolderLock?, _ options: Options) throws {
    self.folder = folder
    path = folder.path
    let connection = try Self.openStore(in: folder, options)
    let checkpointer = Checkpointer(path: folder.database, interval: options.checkpointFrames)
    let bounds = GroupWriter.Bounds(duration: options.groupDuration, now: options.now)
    writes = WriteQueue(
      GroupWriter(on: connection, bounds: bounds, checkpointer: checkpointer),
      groupCount: options.groupCount)
    reads = ReaderPool(path: folder.database, capacity: options.readers)
    ownership = Mutex(lock)
  }

  package func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await TransactionTask.perform({ try body($0) }, submit: reads.submit)
  }

  package func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await TransactionTask.perform({ try body($0) }, submit: writes.submit)
  }

  package func write<Result: Sendable, Made>(
    in partition: String?, making: (Result) -> Made,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Made {
    try await TransactionTask.perform({ try body($0) }, making: making, submit: writes.submit)
  }

  package var isRestored: Bool { folder.isRestored }

  package func endRestoration() async throws {
    try await maintain { [folder] _ in try folder.setRestored(false) }
  }

  package func reserveRoom() async throws {
    try await maintain { [folder] _ in try folder.reserveRoom(Limits.reservedBytes) }
  }

  package func releaseReservedRoom() async throws -> Bool {
    try await maintain { [folder] _ in try folder.releaseReservedRoom() }
  }

  /// The number of writes in the queue, without those that the writer has taken: a measure of its
  /// load.
  package var waitingWrites: Int { writes.waitingCount }

  package func close() async {
    // The writer closes last: the last connection to the store empties the log.
    await reads.close()
    await writes.close()
    ownership.withLock { $0 = nil }
  }
}

extension SQLiteStorageEngine {
  /// Opens a writing connection to a store of the current version.
  private static func openStore(in folder: DataFolder, _ options: Options) throws
    -> sending Connection
  {
    let path = folder.database
    if try !DataFolder.exists(path) {
      guard options.role == .server else {
        throw StorageError(
          .missing, "there is no store in the folder; start a server on it first",
          place: folder.path)
      }
      try DataFolder.createFile(path)
    }
    guard options.role == .server || !folder.isRestored else {
      throw StorageError(
        .restored,
        "the store was restored, but the restoration was not completed: start the server on it once",
        place: folder.path)
    }
    return try StorageError.translating {
      let connection = try StoreConnection.open(path, gathersLog: true)
      let state = try options.schema.state(of: connection, at: path)
      if options.role == .tool, state != .store(options.schema.version) {
        throw StorageError(
          .older, "the store has to be upgraded: start the server on it once", place: path)
      }
      if state == .empty { try connection.set(.pageSize, to: StoreSchema.pageSize) }
      try StoreConnection.prepareForWriting(connection)
      try connection.watchLog()
      try options.schema.upgrade(connection, from: state)
      return connection
    }
  }
}
