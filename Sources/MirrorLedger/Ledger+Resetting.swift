package import CloudRecords
import MirrorModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// Resets of the ledger, or of one zone.
extension Ledger {
  /// Requeues everything in a zone that the server has lost, as insertions without tags.
  ///
  /// Record names stay, and so do unacknowledged changes and deletions: another device may restore
  /// the records first, with its own changes.
  ///
  /// - Parameter lost: The records that the server may have lost.
  package func requeueAll(_ zone: RecordZoneIdentifier, lost: LostRecords = .all) throws {
    try write { connection in
      var zones = ZoneNumbers(connection)
      guard let number = try zones.present(zone) else { return }
      try connection.setToken(nil, ofZone: number)
      try connection.recordFilling()
      let readers: Int64 =
        if case .received(let reader) = lost { try ReaderTable(connection).bits(of: reader) } else {
          -1
        }
      for (table, group, masks) in [
        ("PHM_OBJECT", OutboxGroup.ofObject, 4), ("PHM_PAIR", OutboxGroup.ofPair, 0),
      ] {
        let kept = (0..<masks).map { ", m\($0) = m\($0) | s\($0), s\($0) = 0" }.joined()
        try connection.run(
          "UPDATE \(table) SET pending = CASE pending WHEN 2 THEN 2 ELSE 0 END, grp = "
            + "ifnull(grp, \(group)), "
            + "stamp = stamp + 1, reach = 1, sent = NULL, sentstamp = NULL, tag = NULL\(kept) "
            + "WHERE zone = ?1 "
            + "AND (?2 = -1 OR tag IS NULL OR \(SystemFields.areReceived(table)))", number, readers)
      }
    }
  }

  /// Records that the removal of all objects has begun, so that an interrupted one is completed.
  ///
  /// - Returns: The number of the latest transaction before the removal; later insertions stay.
  package func beginStartingOver() throws -> Int64 {
    try write { connection in
      // All objects are removed, so no duplicate has to merge.
      try DeferredTable(names, connection).removeAll(.duplicate)
      try connection.execute("DELETE FROM PHM_DUPLICATE")
      if case .integer(let begun)? = try connection.state(.startingOver) { return begun }
      let latest = try store.latestHistoryNumber(on: connection)
      try connection.setState(.startingOver, to: .integer(latest))
      return latest
    }
  }

  /// Deletes the ledger's rows and state, except the events.
  ///
  /// After that the store is as before its first start: `backfill()` enqueues its objects again.
  package func forgetAll() throws {
    try write { connection in
      for table in ["PHM_OBJECT", "PHM_PAIR", "PHM_DEFERRED", "PHM_DUPLICATE", "PHM_JOURNAL"] {
        try connection.execute("DELETE FROM \(table)")
      }
      try connection.execute("UPDATE PHM_ZONE SET token = NULL")
      try connection.run(
        "DELETE FROM PHM_STATE WHERE name NOT IN (?, ?)",
        [LedgerStateKey.version, .filling].map { .text($0.name) })
      try connection.setState(.noted, to: .integer(store.latestHistoryNumber(on: connection)))
    }
  }
}

/// The records of a zone that the server may have lost.
package enum LostRecords: Sendable {
  case all
  /// In a public database, those that a reader received; nil stands for no user.
  ///
  /// Other records may exist, and this user must not send them.
  case received(to: String?)
}
