package import CloudRecords
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// Which records stand for others.
extension Ledger {
  /// The duplicates that records absorbed, in the order in which that became known.
  package func successions(of survivors: some Sequence<RecordIdentifier>) throws
    -> [RecordIdentifier: [Succession]]
  {
    try read { connection in
      guard try connection.number(SuccessionTable.any) != nil else { return [:] }
      let table = SuccessionTable(connection)
      var zones = ZoneNumbers(connection)
      var found: [RecordIdentifier: [Succession]] = [:]
      for survivor in survivors {
        let successions = try table.successions(of: survivor, &zones)
        if !successions.isEmpty { found[survivor] = successions }
      }
      return found
    }
  }

  /// The records that stand for one, in the order in which that became known.
  package func survivors(of departed: RecordIdentifier) throws -> [RecordIdentifier] {
    try read { connection in
      var zones = ZoneNumbers(connection)
      return try SuccessionTable(connection).survivors(
        of: departed, SuccessionTable.ofDeparted, &zones)
    }
  }

  /// The records that are still to be sent to say that they stand for some others, by those.
  package func openPromises(for departed: [RecordIdentifier]) throws -> [RecordIdentifier:
    [RecordIdentifier]]
  {
    guard !departed.isEmpty else { return [:] }
    return try read { connection in
      guard try connection.number(SuccessionTable.anyUnsent) != nil else { return [:] }
      let table = SuccessionTable(connection)
      var zones = ZoneNumbers(connection)
      var found: [RecordIdentifier: [RecordIdentifier]] = [:]
      for record in departed {
        let survivors = try table.survivors(of: record, SuccessionTable.promising, &zones)
        if !survivors.isEmpty { found[record] = survivors }
      }
      return found
    }
  }

  /// Lets records be sent that stand for others from now on.
  ///
  /// - Parameter promises: Whom which object's record stands for, with the ordinals of the
  ///   attributes that must be unique.
  package func promise(
    _ promises: [(succession: Succession, survivor: RowKey, attributes: OrdinalSet)]
  )
    throws
  {
    guard !promises.isEmpty else { return }
    try write { connection in
      try recorder.catchUp(with: store, on: connection)
      let table = SuccessionTable(connection)
      var zones = ZoneNumbers(connection)
      var folding = recorder.makeFolding(on: connection)
      let group = try connection.noted()
      for promise in promises {
        try table.note(promise.succession, &zones)
        let known = try table.successions(of: promise.succession.survivor, &zones)
        // Others have said so already.
        guard known.unsent.contains(where: { $0.departed == promise.succession.departed }) else {
          continue
        }
        try folding.unite(with: promise.survivor, into: group)
        try folding.putIn(promise.survivor, promise.attributes, group: group)
      }
    }
  }
}
