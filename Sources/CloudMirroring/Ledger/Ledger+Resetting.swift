package import CloudRecords
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Beginning anew, as a whole or with one zone.
extension Ledger {
  /// Makes insertions of everything in a zone that the server has lost; names stay, tags are forgotten, and what was to be
  /// deleted is.
  package func markAllPending(_ zone: RecordZoneIdentifier) throws {
    try write { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone) else { return }
      try connection.setToken(nil, ofZone: number)
      for (table, group, masks) in [("PHM_OBJECT", OutboxGroup.ofObject, 4), ("PHM_PAIR", OutboxGroup.ofPair, 0)] {
        let cleared = (0..<masks).map { ", m\($0) = 0, s\($0) = 0" }.joined()
        try connection.run("DELETE FROM \(table) WHERE zone = ?1 AND pending = 2", number)
        try connection.run(
          "UPDATE \(table) SET pending = 0, grp = ifnull(grp, \(group)), stamp = stamp + 1, reach = 0, sent = NULL, "
            + "sentstamp = NULL, tag = NULL\(cleared) WHERE zone = ?1", number)
      }
    }
  }

  /// Forgets everything about a zone, and sends nothing of it: its owner has deleted it.
  package func forgetZone(_ zone: RecordZoneIdentifier) throws {
    try write { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone) else { return }
      try connection.setToken(nil, ofZone: number)
      for table in ["PHM_OBJECT", "PHM_PAIR", "PHM_PARKED", "PHM_PARKED_PAIR"] {
        try connection.run("DELETE FROM \(table) WHERE zone = ?1", number)
      }
    }
  }

  /// Forgets everything but the journal and the events: the store goes to another account.
  ///
  /// Afterwards the store is as before its first start: `enrol()` puts all of it in again.
  package func forgetAll() throws {
    try write { connection in
      for table in ["PHM_OBJECT", "PHM_PAIR", "PHM_PARKED", "PHM_PARKED_PAIR"] {
        try connection.execute("DELETE FROM \(table)")
      }
      try connection.execute("UPDATE PHM_ZONE SET token = NULL")
      try connection.run("DELETE FROM PHM_STATE WHERE name <> ?", [.text(LedgerStateKey.version.name)])
      try connection.setState(.noted, to: .integer(store.historyNumbers(on: connection).latest))
    }
  }
}
