import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver

/// References that wait for their targets.
extension LedgerWriter {
  package func park(_ changes: LedgerChanges, _ zones: inout ZoneNumbers) throws {
    for reference in changes.parked {
      guard let place = place(of: reference) else { continue }
      var statement = try connection.prepare(
        "INSERT INTO PHM_PARKED(entity, key, property, zone, name, claim) VALUES(?1, ?2, ?3, "
          + "?4, ?5, ?6) "
          + "ON CONFLICT(entity, key, property) DO UPDATE SET zone = excluded.zone, name = "
          + "excluded.name, "
          + "claim = excluded.claim")
      try statement.bind(place.entity, at: 1)
      try statement.bind(reference.source.key, at: 2)
      try statement.bind(place.bit, at: 3)
      try statement.bind(zones.number(of: reference.target.zone), at: 4)
      try statement.bind(RecordName(reference.target.recordName), at: 5)
      if reference.isClaim { try statement.bind(1, at: 6) } else { try statement.bindNull(at: 6) }
      try statement.run()
    }
    for pair in changes.parkedPairs { try park(pair, &zones) }
  }

  private func park(_ pair: ParkedPair, _ zones: inout ZoneNumbers) throws {
    guard let relationship = names.relationship(pair.entity, pair.relationship) else { return }
    let ends = [pair.record, pair.first, pair.second]
    var statement = try connection.prepare(
      "INSERT OR REPLACE INTO PHM_PARKED_PAIR"
        + "(zone, name, firstzone, firstname, secondzone, secondname, relationship, tag, system) "
        + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    for (place, end) in ends.enumerated() {
      try statement.bind(zones.number(of: end.zone), at: 2 * place + 1)
      try statement.bind(RecordName(end.recordName), at: 2 * place + 2)
    }
    try statement.bind(relationship.number, at: 7)
    if let tag = pair.tag { try statement.bind(tag, at: 8) }
    if let system = pair.systemFields { try statement.bind(system, at: 9) }
    try statement.run()
  }

  package func unpark(_ changes: LedgerChanges, _ zones: inout ZoneNumbers) throws {
    for reference in changes.unparked {
      guard let place = place(of: reference) else { continue }
      try connection.run(
        "DELETE FROM PHM_PARKED WHERE entity = ?1 AND key = ?2 AND property = ?3", place.entity,
        reference.source.key,
        Int64(place.bit))
    }
    for record in changes.unparkedPairs {
      try connection.run(
        "DELETE FROM PHM_PARKED_PAIR WHERE zone = ? AND name = ?",
        [.integer(zones.number(of: record.zone)), RecordName(record.recordName).value])
    }
  }

  private func place(of reference: ParkedReference) -> (entity: Int64, bit: Int)? {
    let index = Int(reference.source.layoutIndex)
    guard let entity = names.entity(index), let bit = names.bit(reference.ordinal, index) else {
      return nil
    }
    return (entity, bit)
  }
}
