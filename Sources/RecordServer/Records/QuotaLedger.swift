import CloudRecords
import RecordStorage

/// What the databases that a batch changes may still grow by.
///
/// It is reckoned with what they have at the batch's end, in whatever order the operations come:
/// what is deleted makes room for what was saved before it. A batch that leaves a database no
/// larger than it was goes through, however full that is. Without a quota, nothing is read or
/// counted.
final class QuotaLedger {
  private let limits: ServiceLimits
  /// Who asks: how much others have is not told.
  private let caller: String?
  private let transaction: any StorageReading
  /// What each database had left before the batch, by its owner.
  private var rooms: [String: Int64] = [:]
  private var shares: [Share] = []
  private var operation = 0

  /// What one operation takes of a database, or gives back.
  private struct Share {
    let operation: Int
    let database: DatabaseKeys
    var bytes: Int64
  }

  init(limits: ServiceLimits, caller: String?, transaction: any StorageReading) {
    self.limits = limits
    self.caller = caller
    self.transaction = transaction
  }

  /// Forgets what the batch took.
  func startOver() { shares = [] }

  /// What is taken from now on is an operation's.
  func begin(_ operation: Int) { self.operation = operation }

  /// Takes bytes of a database, or gives some back.
  func take(_ bytes: @autoclosure () throws -> Int64, of database: DatabaseKeys) rethrows {
    guard most(of: database) != nil else { return }
    let bytes = try bytes()
    if let last = shares.last, last.operation == operation, last.database.owner == database.owner {
      shares[shares.count - 1].bytes += bytes
    } else {
      shares.append(Share(operation: operation, database: database, bytes: bytes))
    }
  }

  /// The operations for which there is no room: of those that make a database larger, the first
  /// ones get what there is.
  ///
  /// - Parameter counts: Whether an operation is done.
  func refusals(where counts: (Int) -> Bool) throws -> [Int: CloudError] {
    let shares = shares.filter { counts($0.operation) }
    guard shares.contains(where: { $0.bytes > 0 }) else { return [:] }
    var left: [String: Int64] = [:]
    for share in shares {
      let room = try left[share.database.owner] ?? max(0, room(of: share.database))
      left[share.database.owner] = room + max(0, -share.bytes)
    }
    var refusals: [Int: CloudError] = [:]
    for share in shares where share.bytes > 0 {
      if let room = left[share.database.owner], share.bytes <= room {
        left[share.database.owner] = room - share.bytes
      } else {
        refusals[share.operation] = try error(of: share.database)
      }
    }
    return refusals
  }

  /// - Throws: `QUOTA_EXCEEDED` where a database may not grow at all.
  func checkMayGrow(_ database: DatabaseKeys) throws {
    guard most(of: database) != nil, try room(of: database) <= 0 else { return }
    throw try error(of: database)
  }

  private func error(of database: DatabaseKeys) throws -> CloudError {
    guard database.owner == caller, let most = most(of: database) else { return Self.othersFull }
    return Self.full(most - (try room(of: database)), of: most)
  }

  private static func full(_ used: Int64, of most: Int64) -> CloudError {
    CloudError(
      .quotaExceeded,
      "The database has \(used) bytes, and \(most) is the most. Delete what is not needed.")
  }

  private static let othersFull = CloudError(
    .quotaExceeded,
    "The database has no room for this. Whoever owns it has to delete what is not needed.")

  private func most(of database: DatabaseKeys) -> Int64? {
    database.owner == DatabaseKeys.publicOwner
      ? limits.publicDatabaseBytes : limits.privateDatabaseBytes
  }

  private func room(of database: DatabaseKeys) throws -> Int64 {
    if let known = rooms[database.owner] { return known }
    let used = try ZoneDirectory(database: database).bytesUsed(in: transaction)
    let room = (most(of: database) ?? .max) - used
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
