package import Foundation
package import ObjectRows
import SQLiteDriver

/// Operations on a store's files that need no model.
package enum StoreFiles {
  /// The metadata of a store.
  package static func metadata(at url: URL, options: StoreOptions = StoreOptions())
    throws(StoreError) -> StoreMetadata
  {
    try StoreSnapshot(at: url, options: options).metadata
  }

  /// Replaces the program's metadata of a store; the framework's entries stay.
  package static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    try changeMetadata(at: url, options: options) { former throws(StoreError) in
      try former.replacing(metadata)
    }
  }

  /// Changes the metadata of a store in one transaction.
  package static func changeMetadata(
    at url: URL, options: StoreOptions = StoreOptions(),
    _ change: (StoreMetadata) throws(StoreError) -> StoreMetadata
  ) throws(StoreError) {
    _ = try existingFile(at: url, options)
    let location = StoreLocation(url)
    let connection = try StoreConnections(location: location, options: options, trustsSchema: false)
      .writer()
    try location.requireStore(connection, isWritable: false) {}
    try location.sqlite { () throws(SQLiteError) in
      try connection.setCheckpointsOnClose(true)
      try connection.begin(.immediate)
    }
    do {
      try change(StoreMetadata(connection, at: location)).write(to: connection, at: location)
      try location.sqlite { () throws(SQLiteError) in try connection.commit() }
    } catch {
      try? connection.rollback()
      throw error
    }
  }

  /// Empties a store, and removes its external files; the file itself stays, without content.
  ///
  /// A store that does not exist is not an error. With force, a store that is locked or cannot be
  /// emptied is unlinked: a process that has it open continues with a file that no other process
  /// sees.
  package static func destroy(at url: URL, options: StoreOptions = StoreOptions())
    throws(StoreError)
  {
    let location = StoreLocation(url)
    let file = try StoreFile(at: url, files: options.files)
    guard file.exists, case .file = location else { return }
    do {
      if file.hasHeader { try empty(location, options) } else { try truncate(url, options.files) }
    } catch  where error.code == .notAStore {
      try truncate(url, options.files)
    } catch  where options.destroysByForce {
      try remove(location, options.files)
    }
    try removeSupportFolder(of: location, options.files)
  }

  /// Empties a database through SQLite, so that connections of other processes see an empty
  /// database and not a corrupt one.
  private static func empty(_ location: StoreLocation, _ options: StoreOptions) throws(StoreError) {
    var options = options
    if options.destroysByForce { options.timeout = .zero }
    let connection = try StoreConnections(location: location, options: options, trustsSchema: false)
      .writer()
    try location.sqlite { () throws(SQLiteError) in
      try connection.setCheckpointsOnClose(true)
      try connection.reset()
      _ = try connection.checkpoint(.truncate)
      try connection.close()
    }
  }

  /// Removes a database and SQLite's other files.
  private static func remove(_ location: StoreLocation, _ files: any FileSystem) throws(StoreError)
  {
    try location.files {
      for file in ["", "-wal", "-shm", "-journal"].compactMap(location.sideFile)
      where files.itemExists(at: file) {
        try files.removeItem(at: file)
      }
    }
  }

  /// Truncates a file that is not a database, and removes a write-ahead log beside it.
  private static func truncate(_ url: URL, _ files: any FileSystem) throws(StoreError) {
    try StoreLocation.file(url).files {
      for suffix in ["-wal", "-shm"] {
        let file = URL(fileURLWithPath: url.path + suffix)
        if files.itemExists(at: file) { try files.removeItem(at: file) }
      }
      try files.write(Data(), to: url)
    }
  }

  /// Replaces a store with a copy of another, including its log and external files.
  ///
  /// The store is created if it does not exist. At every moment the former store or the new one is
  /// complete, unless the former is removed by force.
  package static func replace(
    at url: URL, with sourceURL: URL, options: StoreOptions = StoreOptions(),
    sourceOptions: StoreOptions = StoreOptions()
  ) throws(StoreError) {
    let (source, destination) = (StoreLocation(sourceURL), StoreLocation(url))
    let file = try existingFile(at: sourceURL, sourceOptions)
    guard sourceURL.standardizedFileURL != url.standardizedFileURL else { return }
    let from = try reader(of: source, file, sourceOptions)
    var support = SupportFiles(of: destination, from: source, options.files)
    let to: Connection
    do throws(StoreError) {
      try destination.files { try support.copy() }
      to = try writer(replacing: url, options)
      try destination.files {
        try to.setCheckpointsOnClose(true)
        // SQLite changes the page size of a database only while it has no log. If the process ends
        // here, the former store stays, without a log until its next write.
        if try to.get(.journalMode) == .wal, try from.get(.pageSize) != to.get(.pageSize) {
          try to.set(.journalMode, to: .delete)
        }
        try from.backUp(to: to)
      }
    } catch {
      support.cancel()
      throw error
    }
    support.finish()
    try destination.files { try to.close() }
  }

  /// A connection that reads the current state of a store, even in a read-only folder.
  private static func reader(
    of location: StoreLocation, _ file: StoreFile, _ options: StoreOptions
  ) throws(StoreError) -> Connection {
    var options = options
    options.isReadOnly = true
    let connection = try StoreConnections(
      location: location, options: options, trustsSchema: false
    ).connection(FileAccess(file, options: options))
    // With a log, a snapshot does not block writers, and the copy need not restart after a save.
    if file.usesLog {
      try location.sqlite { () throws(SQLiteError) in try connection.begin(.deferred) }
    }
    try location.requireStore(connection, isWritable: false) {}
    return connection
  }

  /// The connection that replaces a store.
  ///
  /// A file that is not a database is removed first; with the force option, any file is.
  private static func writer(replacing url: URL, _ options: StoreOptions) throws(StoreError)
    -> Connection
  {
    let location = StoreLocation(url)
    if let file = try? StoreFile(at: url, files: options.files), file.exists,
      !file.hasHeader || options.destroysByForce
    {
      try remove(location, options.files)
    }
    return try StoreConnections(location: location, options: options, trustsSchema: false).writer()
  }

  // MARK: Files

  static func existingFile(at url: URL, _ options: StoreOptions) throws(StoreError) -> StoreFile {
    let file = try StoreFile(at: url, files: options.files)
    guard file.exists else {
      throw StoreError(
        .fileNotFound, "There is no store at \(url.path).", context: ["file": url.path])
    }
    guard file.hasHeader else {
      let what = file.bytes == 0 ? "is empty: there is no store in it" : "is not a SQLite database"
      throw StoreError(.notAStore, "\(url.path) \(what).", context: ["file": url.path])
    }
    return file
  }

  private static func removeSupportFolder(
    of location: StoreLocation, _ files: any FileSystem
  ) throws(StoreError) {
    guard let folder = location.supportFolder, files.itemExists(at: folder) else { return }
    try location.files { try files.removeItem(at: folder) }
  }
}

extension StoreLocation {
  /// Performs file operations, and turns failures into the store's errors.
  func files(_ body: () throws -> Void) throws(StoreError) {
    do {
      try body()
    } catch let error as StoreError {
      throw error
    } catch let error as SQLiteError {
      throw StoreError(error, at: self)
    } catch {
      throw StoreError(
        .cannotOpen,
        "The files of the store \(path) cannot be changed: \(error.localizedDescription)",
        context: ["file": path], underlying: error)
    }
  }
}
