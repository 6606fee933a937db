import CloudRecords
package import MirrorModel

/// Deferred merges of duplicates.
extension Ledger {
  /// Returns the deferred merges.
  package func merges() throws -> [DuplicateMerge] { .all(in: try deferred(.duplicate)) }

  /// Removes merges that are done, and keeps those that another process added meanwhile.
  package func settle(_ merges: [DuplicateMerge]) throws {
    let settled = Set(merges)
    try write { connection in
      var zones = ZoneNumbers(connection)
      let table = DeferredTable(names, connection)
      let left = try table.merges().filter { !settled.contains($0) }
      try table.removeAll(.duplicate)
      try table.add(left.items(in: options.homeZone), &zones)
      for gone in merges where gone.absorbedUnsent {
        let record = RecordIdentifier(recordName: gone.loser, zone: options.homeZone)
        try DuplicateTable(connection).forget(record, &zones)
      }
    }
  }

  /// Returns the items of surplus pairs, except those whose insertion is pending.
  package func deletable(_ surplus: [DeferredItem]) throws -> [DeferredItem] {
    let records = try subjects(of: surplus.compactMap(\.target))
    return surplus.filter { item in
      item.target.flatMap { records[$0] }?.pending != .insertion
    }
  }
}

extension DeferredTable {
  func merges() throws -> [DuplicateMerge] {
    .all(in: try items(.duplicate, after: nil, limit: .max))
  }

  /// Adds merges to the deferred ones.
  func add(
    _ merges: [DuplicateMerge], in zone: RecordZoneIdentifier, _ zones: inout ZoneNumbers
  ) throws {
    let names = Set(merges.map(\.loser))
    let all = try self.merges().adding(merges)
    try add(all.filter { names.contains($0.loser) }.items(in: zone), &zones)
  }
}
