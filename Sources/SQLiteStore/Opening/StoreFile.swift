package import Foundation
package import ObjectRows

/// The files on disk at the location of a store, which may not exist yet.
package struct StoreFile: Sendable {
  package var exists = false
  package var bytes: Int64 = 0
  /// Whether the file begins with SQLite's header.
  package var hasHeader = false
  /// Whether its header declares a write-ahead log.
  package var usesLog = false
  /// The size of the log, in bytes.
  package var logBytes: Int64 = 0
  /// Whether there is a rollback journal of a write that is in progress or was interrupted.
  package var hasJournal = false
  /// Whether SQLite's shared memory file exists.
  package var hasSharedMemory = false
  package var isWritable = true
  package var isFolderWritable = true

  package init() {}

  /// Inspects the disk.
  ///
  /// Throws if the URL is a folder or cannot be read.
  package init(at url: URL, files: any FileSystem) throws(StoreError) {
    isFolderWritable = files.isWritable(url.deletingLastPathComponent())
    switch files.kind(of: url) {
    case nil: return
    case .folder:
      throw StoreError(
        .notAStore, "\(url.path) is a folder, not a store.", context: ["file": url.path])
    case .file(let bytes): self.bytes = bytes
    }
    exists = true
    isWritable = files.isWritable(url)
    if case .file(let bytes)? = files.kind(of: URL(fileURLWithPath: url.path + "-wal")) {
      logBytes = bytes
    }
    let journal = URL(fileURLWithPath: url.path + "-journal")
    if case .file(let bytes)? = files.kind(of: journal), bytes > 0 {
      // SQLite keeps journals in some modes, and ignores one that begins with a zero.
      hasJournal = (try? files.beginning(of: journal, bytes: 1))?.first != 0
    }
    hasSharedMemory = files.itemExists(at: URL(fileURLWithPath: url.path + "-shm"))
    try readHeader(of: url, files)
  }

  private mutating func readHeader(of url: URL, _ files: any FileSystem) throws(StoreError) {
    let header: Data
    do {
      header = try files.beginning(of: url, bytes: 20)
    } catch {
      throw StoreError(
        .cannotOpen, "The file \(url.path) cannot be read: \(error.localizedDescription)",
        context: ["file": url.path], underlying: error)
    }
    hasHeader = header.starts(with: Self.magic)
    usesLog = header.count == 20 && header[header.startIndex + 18] == 2
  }

  private static let magic = Array("SQLite format 3\0".utf8)
}

/// The way in which a file is opened, by its state and the options.
package enum FileAccess: Hashable, Sendable {
  case write
  /// Reading, with SQLite's locks; may create the shared memory file of a log.
  case read(ReadOnlyReason)
  /// Reading without locks, and without creating other files.
  case readUnlocked(ReadOnlyReason)
  /// Reading with SQLite's locks, after SQLite has rolled back an interrupted write.
  case readRolledBack(ReadOnlyReason)
  /// Reading a copy, because SQLite cannot create the shared memory file of a nonempty log, or
  /// cannot roll back an interrupted write.
  case readCopy(ReadOnlyReason)

  package init(_ file: StoreFile, options: StoreOptions) {
    let isReadOnly = options.isReadOnly || options.isSnapshot
    guard isReadOnly || !file.isWritable || !file.isFolderWritable else {
      self = .write
      return
    }
    let reason: ReadOnlyReason = isReadOnly ? .requested : .notWritable
    if file.hasJournal {
      self =
        file.isWritable && file.isFolderWritable ? .readRolledBack(reason) : .readCopy(reason)
    } else if file.logBytes > 0 {
      self = file.hasSharedMemory || file.isFolderWritable ? .read(reason) : .readCopy(reason)
    } else {
      self = options.isSnapshot || !file.isFolderWritable ? .readUnlocked(reason) : .read(reason)
    }
  }

  package var readOnlyReason: ReadOnlyReason? {
    switch self {
    case .write: nil
    case .read(let reason), .readUnlocked(let reason), .readRolledBack(let reason),
      .readCopy(let reason):
      reason
    }
  }
}
