/// What sending does to rows of `PHM_OBJECT` and `PHM_PAIR`.
///
/// The first parameters name the row: `?1` and `?2` for an object, `?1` to `?3` for a pair; `?4`
/// and further ones are values.
struct SentStatements {
  /// Moves what waits to what is on its way, where nothing has changed since it was read: `?4` the
  /// stamp, `?5` the time.
  package let sending: String
  /// Notes that a row was sent that has changed since it was read; `?4` and `?5` likewise.
  let sendingFormer: String
  /// Takes out what the server has saved: `?4` the stamp, `?5` time, `?6` tag.
  package let saved: String
  /// Takes out what the server has deleted.
  package let deleted: String
  /// Makes an insertion of what came back while its deletion was on its way, under another name:
  /// `?4`.
  ///
  /// The server remembers the former name for a while, and other devices must not take the new
  /// record for the deleted one.
  let cameBack: String
  /// Lets wait again what the server has not taken.
  package let notTaken: String
  /// The same for unanswered requests, which may still arrive.
  let notAnswered: String
  /// Makes an insertion of what the server does not know, and keeps in mind what is ours of it:
  /// another device may bring it back.
  package let unknown: String

  /// Makes an insertion of what a restored server has lost, unless it has changed since: `?4` the
  /// tag.
  package let lost: String

  /// All of them.
  package var all: [String] {
    [sending, sendingFormer, saved, deleted, cameBack, notTaken, notAnswered, unknown, lost]
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
      // What is sent for the first time is sent whole: only what changes from then on is ours where
      // the server has the record.
      + each { "s\($0) = CASE reach WHEN 0 THEN 0 ELSE s\($0) | m\($0) END, m\($0) = 0" }
      + " WHERE \(row) AND stamp = ?4 AND pending IS NOT NULL"
    sendingFormer =
      update
      + "reach = max(reach, 1), sent = ?5, sentstamp = ?4 WHERE \(row) AND pending IS NOT NULL"
    let isDone = masks.isEmpty ? "stamp = ?4 OR pending = 0" : "stamp = ?4"
    // What another process has sent since is on its way still: its own answer takes it out.
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
    cameBack =
      update + "name = ?4, pending = 0, reach = 0, sent = NULL, sentstamp = NULL, tag = NULL"
      + each { "m\($0) = 0, s\($0) = 0, e\($0) = NULL" } + " WHERE \(row) AND pending IS NOT NULL"
    let waitAgain =
      "sent = NULL, sentstamp = NULL" + each { "m\($0) = m\($0) | s\($0), s\($0) = 0" }
    notTaken = update + waitAgain + " WHERE \(row)"
    notAnswered =
      update + waitAgain + each { "e\($0) = (ifnull(e\($0), 0) | s\($0)) & ~m\($0)" }
      + " WHERE \(row)"
  }
}
