package import CloudRecords
import RecordStorage

/// The usage of a database.
package struct DatabaseUsage: Hashable, Sendable {
  /// The owner's user record name; nil for the public database.
  package let owner: String?
  package internal(set) var zones = 0
  package internal(set) var records = 0
  /// The number of record fields that contain a file.
  package internal(set) var files = 0
  /// The size of the records, including the files of each, as counted by quotas.
  package internal(set) var bytes: Int64 = 0
}

extension RecordServer {
  /// The usage of a container's databases: the public one first, then private ones by owner.
  ///
  /// Records are counted in pages, so that no snapshot of the storage is held for long.
  package func usage(of container: ContainerAddress) async throws(CloudError) -> [DatabaseUsage] {
    guard let realm = try await realm(of: container) else {
      throw CloudError(.notFound, "There is no container “\(container.container)” on this server.")
    }
    let owners = try await read(nil) { transaction in
      try transaction.entries(in: realm.databases).map {
        try ZoneKeys.texts(1, of: $0.key.bytes.span, after: realm.databases)[0]
      }
    }
    var all: [DatabaseUsage] = []
    for owner in owners {
      all.append(try await usage(of: DatabaseKeys(realm: realm, owner: owner)))
    }
    return all.sorted { ($0.owner ?? "") < ($1.owner ?? "") }
  }

  private func usage(of database: DatabaseKeys) async throws(CloudError) -> DatabaseUsage {
    let isPublic = database.owner == DatabaseKeys.publicOwner
    var usage = DatabaseUsage(owner: isPublic ? nil : database.owner)
    let zones = try await read(database.owner) { transaction in
      try ZoneDirectory(database: database).zones(in: transaction).filter { $0.deleted == nil }
    }
    for zone in zones {
      let keys = ZoneKeys(database: database, number: zone.number)
      usage.zones += 1
      usage.bytes += zone.bytesUsed
      usage.records += try await count(in: keys.entries(after: 0), of: database) {
        StoredEntry.isRecord($0)
      }
      usage.files += try await count(in: keys.assets, of: database) { _ in true }
    }
    return usage
  }

  /// Counts the entries of a range, page by page.
  private func count(
    in range: StorageRange, of database: DatabaseKeys,
    where isCounted: @escaping @Sendable (Span<UInt8>) -> Bool
  ) async throws(CloudError) -> Int {
    var (total, rest) = (0, range)
    while true {
      let range = rest
      let page = try await read(database.owner) {
        transaction -> (counted: Int, last: StorageKey?) in
        var (counted, visited, last) = (0, 0, StorageKey?.none)
        try transaction.visitEntries(
          in: range, order: .ascending, limit: ServerLimits.entriesCountedAtOnce
        ) {
          key, value in
          if isCounted(value) { counted += 1 }
          visited += 1
          if visited == ServerLimits.entriesCountedAtOnce {
            last = StorageKey(bytes: [UInt8](copying: key))
          }
          return .proceed
        }
        return (counted, last)
      }
      total += page.counted
      guard let last = page.last else { return total }
      rest = StorageRange(from: last.successor, to: range.upper)
    }
  }
}
