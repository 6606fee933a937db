internal import RecordStorage
package import SQLiteDriver

/// Creates a store of the current version, or upgrades one of an earlier version.
package struct SchemaHistory: Sendable {
  /// A change of the tables, which runs inside a transaction.
  package typealias Change = @Sendable (Connection) throws(SQLiteError) -> Void

  let applicationID: Int64
  let version: Int64
  let create: Change
  let upgrades: [Int64: Change]

  /// Creates the history of a store's schema.
  ///
  /// - Parameter upgrades: The changes to the next version, by the version that they start from.
  package init(
    applicationID: Int64, version: Int64, create: @escaping Change, upgrades: [Int64: Change]
  ) {
    for earlier in 1..<version {
      precondition(
        upgrades[earlier] != nil,
        "There is no upgrade from version \(earlier) of the store to the next.")
    }
    self.applicationID = applicationID
    self.version = version
    self.create = create
    self.upgrades = upgrades
  }
}

extension SchemaHistory {
  /// The kind of a file, according to its header.
  enum State: Equatable {
    case empty
    /// A store of the given version.
    case store(Int64)
  }

  /// Reads the state of a file without changing it.
  func state(of connection: Connection, at place: String) throws -> State {
    let (found, version, tables) = try StorageError.translating {
      (
        try connection.get(.applicationID), try connection.get(.userVersion),
        try connection.value("SELECT count(*) FROM sqlite_schema")
      )
    }
    if found == 0, version == 0, tables == 0 { return .empty }
    guard found == applicationID, version > 0 else {
      throw StorageError(
        .foreign,
        "the file is a database, but no store of records; name another folder, or move the file away",
        place: place)
    }
    guard version <= self.version else {
      throw StorageError(
        .newer,
        "the store has version \(version) and this program knows versions up to \(self.version); use the program that wrote it, a newer one, or a backup that was made before the upgrade",
        place: place)
    }
    return .store(version)
  }

  /// Creates or upgrades the store in the file, in one transaction.
  func upgrade(_ connection: Connection, from state: State) throws {
    guard state != .store(version) else { return }
    try StorageError.translating {
      try connection.transaction {
        try apply(to: connection, from: state)
        try connection.set(.applicationID, to: applicationID)
        try connection.set(.userVersion, to: version)
      }
    }
  }

  private func apply(to connection: Connection, from state: State) throws {
    switch state {
    case .empty: try create(connection)
    case .store(let found):
      for earlier in found..<version { try upgrades[earlier]?(connection) }
    }
  }
}
