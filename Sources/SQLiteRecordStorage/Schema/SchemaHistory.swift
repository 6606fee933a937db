internal import RecordStorage
package import SQLiteDriver

/// How a store of the present version is made, from nothing or from a store of an earlier version.
package struct SchemaHistory: Sendable {
  /// Changes the tables; runs inside a transaction.
  package typealias Change = @Sendable (Connection) throws(SQLiteError) -> Void

  let applicationID: Int64
  let version: Int64
  let create: Change
  let upgrades: [Int64: Change]

  /// - Parameter upgrades: For each earlier version, what makes the next one of it.
  package init(
    applicationID: Int64, version: Int64, create: @escaping Change, upgrades: [Int64: Change]
  ) {
    for earlier in 1..<version {
      precondition(
        upgrades[earlier] != nil,
        "There is no way from version \(earlier) of the store to the next.")
    }
    self.applicationID = applicationID
    self.version = version
    self.create = create
    self.upgrades = upgrades
  }
}

extension SchemaHistory {
  /// What a file is, from its header.
  enum State: Equatable {
    case empty
    /// A store of this version.
    case store(Int64)
  }

  /// Looks at a file, and changes nothing.
  func state(of connection: Connection, at place: String) throws -> State {
    let (found, version, tables) = try StorageError.translating {
      (
        try connection.get(.applicationID), try connection.get(.userVersion),
        try connection.value("SELECT count(*) FROM sqlite_schema")
      )
    }
    if found == 0, version == 0, tables == 0 { return .empty }
    guard found != StoreSchema.preReleaseApplicationID else {
      throw StorageError(
        .unsupported,
        "the store was written before version 1, and no program upgrades such stores; use the program that wrote it, or start the server on a new folder and let its clients send their data again",
        place: place)
    }
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

  /// Makes the file a store of the present version, in one transaction.
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
