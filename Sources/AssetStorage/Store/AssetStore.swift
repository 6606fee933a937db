internal import CloudRecords
internal import Cryptography
package import RecordServer
internal import Synchronization
internal import SystemFiles

/// Stores the contents of assets as files in a folder, according to the server's catalogue.
///
/// The catalogue (`RecordServer`) decides which files exist and which are needed; this type
/// receives, serves and removes them. `DESIGN.md` has the rules that keep both consistent.
package final class AssetStore: Sendable {
  package let server: RecordServer
  package let tickets: AssetTickets
  let folder: AssetFolder
  let options: Options
  let workers: DiskWorkers
  /// Uploads that may arrive in several requests.
  let incoming = IncomingUploads()
  private let lock: Mutex<AssetFolderLock?>

  /// The options of an asset store.
  package struct Options: Sendable {
    /// The disk space that uploads leave free.
    package var reservedBytes = Limits.reservedBytes
    /// The number of serial queues for blocking disk operations.
    package var workers = Limits.workers
    /// Generates unique file numbers.
    package var makeNumber: @Sendable () -> UInt64 = {
      SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    /// Suspends the current task, between two renewals of a backup's pin.
    package var pause: @Sendable (Duration) async throws -> Void = { try await AssetStore.wait($0) }

    package init() {}
  }

  /// The kind of program that opens a folder.
  package enum Role: Hashable, Sendable {
    /// The owner of the folder, which creates it if it is missing and recovers an earlier owner's
    /// files.
    case server
    /// A command-line tool, with or without a running server.
    case tool
  }

  /// Opens a folder of asset files.
  ///
  /// - Parameters:
  ///   - server: The server with the catalogue of the files.
  ///   - tickets: Creates and verifies the server's addresses and receipts.
  package static func open(
    _ path: String, as role: Role = .server, server: RecordServer, tickets: AssetTickets,
    options: Options = Options()
  ) async throws -> AssetStore {
    let workers = DiskWorkers(count: options.workers)
    let folder = AssetFolder(path: path)
    let lock = try await workers.take().perform {
      () throws(AssetStorageError) -> AssetFolderLock? in
      guard role == .server else { return nil }
      try folder.create()
      return try AssetFolderLock(of: folder)
    }
    let store = AssetStore(folder, server, tickets, options, workers, lock)
    if role == .server { try await store.recover() }
    return store
  }

  private init(
    _ folder: AssetFolder, _ server: RecordServer, _ tickets: AssetTickets, _ options: Options,
    _ workers: DiskWorkers,
    _ lock: AssetFolderLock?
  ) {
    self.folder = folder
    self.server = server
    self.tickets = tickets
    self.options = options
    self.workers = workers
    self.lock = Mutex(lock)
  }

  /// Releases the folder's lock.
  ///
  /// No upload may be in progress.
  package func close() { lock.withLock { $0 = nil } }

  /// The folder of the files.
  package var path: String { folder.path }
}

// MARK: - Downloads

extension AssetStore {
  /// Opens the file that a download address references.
  ///
  /// - Parameter open: Opens the file, on a thread that may block. It is called again with another
  ///   path if the file was moved meanwhile. A file that is removed after it was opened can be read
  ///   to its end.
  /// - Throws: A `CloudError` if the address is not valid, or the file is gone.
  package func file<File: Sendable>(
    ticket: String, _ open: @escaping @Sendable (String) throws -> File
  ) async throws -> (file: File, grant: DownloadGrant) {
    let grant = try tickets.downloadGrant(ticket)
    guard let name = try await name(of: grant.checksum) else { throw Self.gone }
    let paths = folder.paths(of: name)
    let file = try await workers.take().perform { () throws(any Error) -> File? in
      var failure: (any Error)?
      for path in paths where FileNames.size(of: path) == grant.size {
        do { return try open(path) } catch { failure = error }
      }
      if let failure { throw failure }
      return nil
    }
    guard let file else { throw Self.gone }
    return (file, grant)
  }

  /// Returns the name of the file with given contents; nil if the server does not have them.
  func name(of checksum: AssetChecksum) async throws -> AssetFileName? {
    guard let entry = try await server.assetEntry(of: checksum) else { return nil }
    return try Self.name(in: entry)
  }

  static func name(in entry: AssetEntry) throws -> AssetFileName {
    guard let name = AssetFileName(entry.fileName) else {
      throw AssetStorageError(
        .damaged, "the catalogue names the file “\(entry.fileName)”, which is not a valid file name"
      )
    }
    return name
  }

  private static var gone: CloudError {
    CloudError(.notFound, "The file is no longer on the server. Fetch the record again.")
  }
}
