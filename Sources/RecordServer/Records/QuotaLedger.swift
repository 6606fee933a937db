import CloudRecords
import RecordStorage

/// What the databases that a batch changes may still grow by.
///
/// What is deleted makes room for what is saved after it. Without a quota, nothing is read or counted.
final class QuotaLedger {
  private let limits: ServiceLimits
  /// Who asks: how much others have is not told.
  private let caller: String?
  private let transaction: any StorageReading
  /// What each database had left before the batch, by its owner.
  private var rooms: [String: Int64] = [:]
  private var taken: [String: Int64] = [:]

  init(limits: ServiceLimits, caller: String?, transaction: any StorageReading) {
    self.limits = limits
    self.caller = caller
    self.transaction = transaction
  }

  /// Forgets what the batch took.
  func startOver() { taken = [:] }

  /// Takes bytes of a database, or gives some back.
  ///
  /// - Throws: `QUOTA_EXCEEDED` where the database would grow, and has less left.
  func take(_ bytes: @autoclosure () throws -> Int64, of database: DatabaseKeys) throws {
    guard let most = most(of: database) else { return }
    let bytes = try bytes()
    let wanted = taken[database.owner, default: 0] + bytes
    let room = try room(of: database, most)
    guard bytes <= 0 || wanted <= room else {
      throw database.owner == caller ? Self.full(most - room, of: most) : Self.othersFull
    }
    taken[database.owner] = wanted
  }

  private static func full(_ used: Int64, of most: Int64) -> CloudError {
    CloudError(.quotaExceeded, "The database has \(used) bytes, and \(most) is the most. Delete what is not needed.")
  }

  private static let othersFull = CloudError(
    .quotaExceeded, "The database has no room for this. Whoever owns it has to delete what is not needed.")

  private func most(of database: DatabaseKeys) -> Int64? {
    database.owner == DatabaseKeys.publicOwner ? limits.publicDatabaseBytes : limits.privateDatabaseBytes
  }

  private func room(of database: DatabaseKeys, _ most: Int64) throws -> Int64 {
    if let known = rooms[database.owner] { return known }
    let room = most - (try ZoneDirectory(database: database).bytesUsed(in: transaction))
    rooms[database.owner] = room
    return room
  }
}

extension ZoneDirectory {
  /// What the database's records and their files take; zones that were deleted have none.
  func bytesUsed(in transaction: any StorageReading) throws -> Int64 {
    try zones(in: transaction).reduce(0) { $0 + $1.bytesUsed }
  }
}

extension StoredRecord {
  /// The bytes of the files that the record holds.
  ///
  /// A file counts in each record that holds it, since each can be the last to do so.
  var fileBytes: Int64 {
    var sum: Int64 = 0
    for entry in fields {
      switch entry.field.value {
      case .asset(let asset): sum += asset.size
      case .list(of: .asset, let members):
        for case .asset(let asset) in members { sum += asset.size }
      default: continue
      }
    }
    return sum
  }
}
