/// The statements that sending runs on rows of `PHM_OBJECT` and `PHM_PAIR`.
///
/// The first parameters identify the row: `?1` and `?2` for an object, `?1` to `?3` for a pair. The
/// parameters from `?4` on are values.
struct SentStatements {
  /// Marks pending changes as sent, if the row is unchanged since it was read.
  ///
  /// `?4` is the stamp, `?5` the time.
  package let sending: String
  /// Marks a row as sent though it changed after it was read with stamp `?4`; `?5` is the time.
  let sendingFormer: String
  /// Clears acknowledged changes: `?4` is the stamp, `?5` the time, `?6` the tag.
  package let saved: String
  /// Removes an acknowledged deletion.
  package let deleted: String
  /// Turns a subject that returned while its deletion was sent into an insertion named `?4`.
  ///
  /// The server remembers the former name for a while, and other devices must not confuse the new
  /// record with the deleted one.
  let reinserted: String
  /// Requeues rejected changes.
  package let notSaved: String
  /// Requeues unanswered changes, which may still arrive.
  let notAnswered: String
  /// Turns an entry whose record the server does not have into an insertion.
  ///
  /// The changed properties are kept, because another device may restore the record first.
  package let unknown: String

  /// Requeues a record that a restored server lost, unless it has changed since: `?4` is the tag.
  package let lost: String

  /// All statements.
  package var all: [String] {
    [sending, sendingFormer, saved, deleted, reinserted, notSaved, notAnswered, unknown, lost]
  }

  package static let objects = SentStatements(
    "PHM_OBJECT", row: "entity = ?1 AND key = ?2", group: OutboxGroup.ofObject, masks: 0..<4)
  package static let pairs = SentStatements(
    "PHM_PAIR", row: "relationship = ?1 AND first = ?2 AND second = ?3", group: OutboxGroup.ofPair,
    masks: 0..<0)

  private init(_ table: String, row: String, group: String, masks: Range<Int>) {
    func each(_ term: (Int) -> String) -> String { masks.map { ", " + term($0) }.joined() }
    let update = "UPDATE \(table) SET "
    sending =
      update + "reach = max(reach, 1), sent = ?5, sentstamp = stamp"
      // The first request has everything. Once the server has the record, only later changes count
      // as ours.
      + each { "s\($0) = CASE reach WHEN 0 THEN 0 ELSE s\($0) | m\($0) END, m\($0) = 0" }
      + " WHERE \(row) AND stamp = ?4 AND pending IS NOT NULL"
    sendingFormer =
      update
      + "reach = max(reach, 1), sent = ?5, sentstamp = ?4 WHERE \(row) AND pending IS NOT NULL"
    let isDone = masks.isEmpty ? "stamp = ?4 OR pending = 0" : "stamp = ?4"
    // An entry that another process sent since then stays unanswered until that response.
    func unlessSentSince(_ column: String, _ value: String) -> String {
      "\(column) = CASE WHEN \(isDone) OR sentstamp = ?4 THEN \(value) ELSE \(column) END"
    }
    saved =
      update
      + "pending = CASE WHEN \(isDone) THEN NULL WHEN pending = 0 THEN 1 ELSE pending END, "
      + "grp = CASE WHEN \(isDone) THEN NULL ELSE grp END, reach = 2, at = ?5, tag = ?6, "
      + unlessSentSince("sent", "NULL") + ", " + unlessSentSince("sentstamp", "NULL")
      + each {
        "m\($0) = CASE WHEN \(isDone) THEN 0 ELSE m\($0) END, " + unlessSentSince("s\($0)", "0")
          + ", "
          + unlessSentSince("e\($0)", "NULL")
      }
      + " WHERE \(row) AND pending IS NOT NULL"
    deleted = "DELETE FROM \(table) WHERE \(row) AND pending = 2"
    unknown =
      update + "pending = 0, reach = 1, sent = NULL, sentstamp = NULL, tag = NULL"
      + each { "m\($0) = m\($0) | s\($0), s\($0) = 0, e\($0) = NULL" }
      + " WHERE \(row) AND pending IS NOT NULL"
    lost =
      update
      + "pending = 0, grp = \(group), stamp = stamp + 1, reach = 1, sent = NULL, sentstamp = "
      + "NULL, tag = NULL"
      + " WHERE \(row) AND tag = ?4 AND pending IS NULL"
    reinserted =
      update + "name = ?4, pending = 0, reach = 0, sent = NULL, sentstamp = NULL, tag = NULL"
      + each { "m\($0) = 0, s\($0) = 0, e\($0) = NULL" } + " WHERE \(row) AND pending IS NOT NULL"
    let waitAgain =
      "sent = NULL, sentstamp = NULL" + each { "m\($0) = m\($0) | s\($0), s\($0) = 0" }
    notSaved = update + waitAgain + " WHERE \(row)"
    notAnswered =
      update + waitAgain + each { "e\($0) = (ifnull(e\($0), 0) | s\($0)) & ~m\($0)" }
      + " WHERE \(row)"
  }
}
