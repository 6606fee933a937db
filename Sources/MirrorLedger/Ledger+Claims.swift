import CloudRecords
package import MirrorModel
import ObjectRows
import SQLiteDriver

/// References that wait for what is here and another one has.
extension Ledger {
  /// Those that wait, with the objects that they wait for.
  package func claims() throws -> [OpenClaim] {
    try read { connection in
      let zones = try connection.zones()
      var found: [OpenClaim] = []
      var statement = try connection.prepare(Self.claims)
      while try statement.step() {
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)),
          let ordinal = names.ordinal(ofBit: Int(statement.row.int64(at: 2)), Int(layout)),
          let zone = zones[statement.row.int64(at: 3)], let name = RecordName(statement.row, at: 4),
          let targetLayout = names.layoutIndex(statement.row.int64(at: 5))
        else { continue }
        let reference = ParkedReference(
          source: RowKey(key: statement.row.int64(at: 1), layoutIndex: layout), ordinal: ordinal,
          target: RecordIdentifier(recordName: name.text, zone: zone), isClaim: true)
        let target = RowKey(key: statement.row.int64(at: 6), layoutIndex: targetLayout)
        found.append(OpenClaim(reference: reference, target: target))
      }
      return found
    }
  }

  package static let claims =
    "SELECT p.entity, p.key, p.property, p.zone, p.name, o.entity, o.key FROM PHM_PARKED p "
    + "JOIN PHM_OBJECT o ON o.zone = p.zone AND o.name = p.name WHERE p.claim = 1 AND "
    + "o.pending IS NOT 2"

  /// Lets references that have waited be sent as they are, and wait no more.
  ///
  /// - Parameter journal: What they lose by it.
  package func send(_ references: [ParkedReference], journal: [JournalEntry]) throws {
    guard !references.isEmpty else { return }
    try write { connection in
      try recorder.catchUp(with: store, on: connection)
      var folding = recorder.makeFolding(on: connection)
      let group = try connection.noted()
      for reference in references {
        try folding.update(reference.source, OrdinalSet([reference.ordinal]), group: group)
      }
      try JournalTable(names, connection).append(journal)
    }
  }
}
