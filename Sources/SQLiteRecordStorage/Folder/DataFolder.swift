internal import RecordStorage
internal import SystemFiles

/// The folder of a store, and the files in it.
///
/// | file | contents |
/// |---|---|
/// | `records.sqlite`, `-wal`, `-shm` | the entries |
/// | `server.lock` | the process that owns the folder |
/// | `restored` | empty; exists while the work after a restoration is not done |
/// | `reserve` | unused bytes: space for deletions on a full disk |
struct DataFolder {
  let path: String

  var database: String { path + "/records.sqlite" }
  var lock: String { path + "/server.lock" }
  private var restoration: String { path + "/restored" }
  private var reserve: String { path + "/reserve" }

  /// Creates the folder if it is missing, accessible only by its owner.
  func create() throws(StorageError) {
    try StorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.makeFolder(path, in: Self.parent(of: path))
    }
  }
}

// MARK: - Restorations

extension DataFolder {
  /// Whether a restoration was begun and has not been ended.
  var isRestored: Bool { (try? Self.exists(restoration)) ?? false }

  func setRestored(_ isRestored: Bool) throws(StorageError) {
    guard isRestored != self.isRestored else { return }
    if isRestored { try Self.createFile(restoration) } else { try Self.remove(restoration) }
    try sync()
  }

  /// Removes the files that a missing database left.
  ///
  /// SQLite would apply its log to another database of the same name.
  func removeLog() throws(StorageError) {
    for file in Self.sideFiles(of: database) { try Self.remove(file) }
    try sync()
  }

  private func sync() throws(StorageError) {
    try StorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.syncFolder(path)
    }
  }
}

// MARK: - Room for deletions

extension DataFolder {
  /// Creates the reserve file, if the disk has far more free space than it needs.
  func reserveRoom(_ count: Int) throws(StorageError) {
    guard FileNames.size(of: reserve) != Int64(count) else { return }
    try StorageError.mappingErrors { () throws(SystemFailure) in
      let free = try FileDescriptor(path, for: .folder).freeBytes()
      guard free >= Int64(count) * Limits.reserveShare else { return }
      // A crash may have left a reserve file that is too short.
      try FileNames.remove(reserve)
      let file = try FileDescriptor(reserve, for: .creating)
      try file.write([UInt8](repeating: 0xA5, count: count))
      try file.sync()
    }
  }

  /// Deletes the file that reserves disk space.
  ///
  /// - Returns: Whether there was a reserve.
  func releaseReservedRoom() throws(StorageError) -> Bool {
    guard try Self.exists(reserve) else { return false }
    try Self.remove(reserve)
    return true
  }
}

extension DataFolder {
  static func exists(_ path: String) throws(StorageError) -> Bool {
    try StorageError.mappingErrors { () throws(SystemFailure) in try FileNames.exists(path) }
  }

  /// The paths of the files that SQLite keeps next to a database.
  static func sideFiles(of database: String) -> [String] {
    ["-journal", "-wal", "-shm"].map { database + $0 }
  }

  /// Creates an empty file that only its owner may read.
  ///
  /// The file must not exist.
  static func createFile(_ path: String) throws(StorageError) {
    try StorageError.mappingErrors { () throws(SystemFailure) in
      _ = try FileDescriptor(path, for: .creating)
    }
  }

  /// Renames a file durably to its final name.
  static func rename(_ path: String, to final: String) throws(StorageError) {
    try StorageError.mappingErrors { () throws(SystemFailure) in
      try FileNames.rename(path, to: final)
      try FileNames.syncFolder(parent(of: final))
    }
  }

  static func remove(_ path: String) throws(StorageError) {
    try StorageError.mappingErrors { () throws(SystemFailure) in try FileNames.remove(path)
    }
  }

  static func parent(of path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.isEmpty else { return "/" }
    parts.removeLast()
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    if parts.isEmpty { return isAbsolute ? "/" : "." }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}

extension StorageError {
  /// Runs file operations, and converts their errors to `StorageError`.
  static func mappingErrors<Value: ~Copyable>(_ body: () throws(SystemFailure) -> Value)
    throws(StorageError) -> Value
  {
    do throws(SystemFailure) { return try body() } catch { throw StorageError(error) }
  }

  /// Converts the error of a failed system call.
  private init(_ failure: SystemFailure) {
    let remedy =
      failure.isDenied
      ? "run the program as the user that owns the folder"
      : "check the path, the permissions and the free disk space"
    self.init(
      failure.isFull ? .full : .unavailable,
      "cannot \(failure.what): \(failure.reason) (system error \(failure.number)); \(remedy)",
      place: failure.path)
  }
}
