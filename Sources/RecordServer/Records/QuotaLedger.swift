import CloudRecords
import RecordStorage

/// The remaining quotas of the databases that a batch changes.
///
/// It compares the sizes at the end of the batch, so that deletions free space for saves in any
/// order. A batch that does not enlarge a database succeeds even if the database is full. Without a
/// quota nothing is counted.
final class QuotaLedger {
  private let limits: ServiceLimits
  /// The caller, which learns the usage of its own database only.
  private let caller: String?
  private let transaction: any StorageReading
  /// The free space of each database before the batch, by owner.
  private var rooms: [String: Int64] = [:]
  private var shares: [Share] = []
  private var operation = 0

  /// The bytes that one operation adds to a database, or frees.
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

  /// Forgets the batch's usage.
  func startOver() { shares = [] }

  /// Attributes later usage to an operation.
  func begin(_ operation: Int) { self.operation = operation }

  /// Adds to the usage of a database, or subtracts from it.
  func take(_ bytes: @autoclosure () throws -> Int64, of database: DatabaseKeys) rethrows {
    guard most(of: database) != nil else { return }
    let bytes = try bytes()
    if let last = shares.last, last.operation == operation, last.database.owner == database.owner {
      shares[shares.count - 1].bytes += bytes
    } else {
      shares.append(Share(operation: operation, database: database, bytes: bytes))
    }
  }

  /// The operations that exceed the quota.
  ///
  /// Operations that enlarge a database get space in order.
  ///
  /// - Parameter counts: Whether an operation has not failed.
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

  /// Checks that a database may grow.
  ///
  /// - Throws: `QUOTA_EXCEEDED` if a database may not grow at all.
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
      "The database has \(used) bytes, and at most \(most) are allowed. Delete something that is not needed."
    )
  }

  private static let othersFull = CloudError(
    .quotaExceeded,
    "The database is full. Its owner must delete something that is not needed.")

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
  /// The size of the database's records and files.
  ///
  /// Deleted zones do not count.
  func bytesUsed(in transaction: any StorageReading) throws -> Int64 {
    try zones(in: transaction).reduce(0) { $0 + $1.bytesUsed }
  }
}

extension StoredRecord {
  /// The size of the record's files.
  ///
  /// A file counts in each record that holds it, since any of them may be the last.
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
