package import CloudRecords
package import MirrorModel
package import ObjectRows
import SQLiteDriver

/// What came from the cloud.
extension Ledger {
  /// Runs a save of the import author, and writes changes of the ledger in its transaction.
  ///
  /// Where the save had nothing to write, they are written in a transaction of their own
  /// afterwards. Where it throws, nothing is written. A ledger that is closed meanwhile writes them
  /// all the same, and ends afterwards.
  ///
  /// - Throws: What the save throws; `LedgerOutdated` where another process took over the same
  ///   records meanwhile, and `AnswerOvertaken` where it has noted anything of the server's since
  ///   that was asked.
  package func importing<Result>(_ changes: LedgerChanges, save: () throws -> Result) throws
    -> Result
  {
    recorder.prepare(changes)
    defer { endIfClosed() }
    let result: Result
    do { result = try recorder.others.noting(save) } catch {
      switch recorder.endImport() {
      case .outdated: throw LedgerOutdated()
      case .overtaken: throw AnswerOvertaken()
      case .unwritten, .written: throw error
      }
    }
    if recorder.endImport() != .written { try apply(changes) }
    return result
  }

  /// Adds to the import that is being saved what a hook of the program has changed.
  package func noteHooked(_ object: RowKey, _ changed: OrdinalSet) {
    recorder.noteHooked(object, changed)
  }

  /// Writes changes of the ledger in a transaction of their own.
  package func apply(_ changes: LedgerChanges) throws {
    try recorder.others.noting {
      try write { connection in
        try recorder.others.note(changes.asked, on: connection)
        try recorder.catchUp(with: store, on: connection)
        var folding = recorder.makeFolding(on: connection)
        let group = try connection.noted()
        try LedgerWriter(names, options, homeZone: recorder.homeZone, on: connection).write(
          changes, &folding, group: group)
        try folding.deleteMissing(of: changes, group: group)
      }
    }
  }

  /// The references that wait for some records.
  package func parkedReferences(to targets: [RecordIdentifier]) throws -> [ParkedReference] {
    try read { connection in
      guard try connection.number(OutboxFolding.anyParked) != nil else { return [] }
      var zones = ZoneNumbers(connection)
      var found: [ParkedReference] = []
      for target in targets {
        guard let zone = try zones.present(target.zone) else { continue }
        var statement = try connection.prepare(Self.parkedReferences)
        try statement.bind(zone, at: 1)
        try statement.bind(RecordName(target.recordName), at: 2)
        while try statement.step() {
          guard let layout = names.layoutIndex(statement.row.int64(at: 0)),
            let ordinal = names.ordinal(ofBit: Int(statement.row.int64(at: 2)), Int(layout))
          else { continue }
          let source = RowKey(key: statement.row.int64(at: 1), layoutIndex: layout)
          found.append(ParkedReference(source: source, ordinal: ordinal, target: target))
        }
      }
      return found
    }
  }

  /// What the references of some objects wait for: the names of records, by the relationships'
  /// ordinals.
  package func parkedTargets(of sources: some Sequence<RowKey>) throws -> [RowKey: [Int: String]] {
    try read { connection in
      guard try connection.number(OutboxFolding.anyParked) != nil else { return [:] }
      var found: [RowKey: [Int: String]] = [:]
      var statement = try connection.prepare(Self.parkedTargets)
      for source in sources {
        guard let entity = names.entity(Int(source.layoutIndex)) else { continue }
        try statement.bind(entity, at: 1)
        try statement.bind(source.key, at: 2)
        while try statement.step() {
          guard
            let ordinal = names.ordinal(
              ofBit: Int(statement.row.int64(at: 0)), Int(source.layoutIndex)),
            let name = RecordName(statement.row, at: 1)
          else { continue }
          found[source, default: [:]][ordinal] = name.text
        }
      }
      return found
    }
  }

  package static let parkedTargets =
    "SELECT property, name FROM PHM_PARKED WHERE entity = ?1 AND key = ?2"

  package static let parkedReferences =
    "SELECT entity, key, property FROM PHM_PARKED WHERE zone = ?1 AND name = ?2 ORDER BY "
    + "entity, key, property"

  /// The join records that wait for some records.
  package func parkedPairs(for ends: [RecordIdentifier]) throws -> [ParkedPair] {
    try read { connection in
      guard try connection.number(Self.anyParkedPair) != nil else { return [] }
      var zones = ZoneNumbers(connection)
      let identifiers = try connection.zones()
      var found: [RecordIdentifier: ParkedPair] = [:]
      var order: [RecordIdentifier] = []
      for end in ends {
        guard let zone = try zones.present(end.zone) else { continue }
        for sql in Self.parkedPairs {
          var statement = try connection.prepare(sql)
          try statement.bind(zone, at: 1)
          try statement.bind(RecordName(end.recordName), at: 2)
          while try statement.step() {
            guard let pair = parkedPair(statement.row, identifiers) else { continue }
            if found.updateValue(pair, forKey: pair.record) == nil { order.append(pair.record) }
          }
        }
      }
      return order.compactMap { found[$0] }
    }
  }

  private static let anyParkedPair = "SELECT 1 FROM PHM_PARKED_PAIR LIMIT 1"

  package static let parkedPairs = ["first", "second"].map { end in
    "SELECT zone, name, firstzone, firstname, secondzone, secondname, relationship, tag, "
      + "system FROM PHM_PARKED_PAIR "
      + "WHERE \(end)zone = ?1 AND \(end)name = ?2 ORDER BY zone, name"
  }

  private func parkedPair(_ row: borrowing Row, _ zones: [Int64: RecordZoneIdentifier])
    -> ParkedPair?
  {
    func identifier(_ column: Int) -> RecordIdentifier? {
      guard let zone = zones[row.int64(at: column)], let name = RecordName(row, at: column + 1)
      else { return nil }
      return RecordIdentifier(recordName: name.text, zone: zone)
    }
    guard let record = identifier(0), let first = identifier(2), let second = identifier(4),
      let relationship = names.relationships[row.int64(at: 6)]
    else { return nil }
    return ParkedPair(
      record: record, tag: row.text(at: 7), systemFields: row.blob(at: 8),
      entity: relationship.entity,
      relationship: relationship.name, first: first, second: second)
  }

  /// How many references and join records wait for others.
  package func parkedCount() throws -> Int {
    try read { connection in
      let count = try connection.number(
        "SELECT (SELECT count(*) FROM PHM_PARKED) + (SELECT count(*) FROM PHM_PARKED_PAIR)")
      return Int(count ?? 0)
    }
  }
}
