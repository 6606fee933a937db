import Foundation
import MirrorModel
import ObjectRows
import SQLiteDriver

/// The conflict journal, in an open transaction.
struct JournalTable {
  private let names: LedgerNames
  private let connection: Connection

  init(_ names: LedgerNames, _ connection: Connection) {
    self.names = names
    self.connection = connection
  }

  /// Adds entries, and drops the oldest ones above the limit.
  package func append(_ entries: [JournalEntry]) throws {
    var statement = try connection.prepare(
      "INSERT INTO PHM_JOURNAL(date, entity, key, property, kept, overwritten, keptisours, "
        + "author, undone) "
        + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    for entry in entries {
      guard let entity = names.entity(Int(entry.object.layoutIndex)) else { continue }
      try statement.bind([
        .real(entry.date.timeIntervalSinceReferenceDate), .integer(entity),
        .integer(entry.object.key), .text(entry.property), entry.kept.map(Value.blob) ?? .null,
        entry.overwritten.map(Value.blob) ?? .null,
        .integer(entry.keptIsOurs ? 1 : 0), entry.author.map(Value.text) ?? .null,
        .integer(entry.isUndone ? 1 : 0),
      ])
      try statement.run()
    }
    try connection.run(
      "DELETE FROM PHM_JOURNAL WHERE number <= (SELECT max(number) FROM PHM_JOURNAL) - ?1",
      LedgerLimits.journalEntries)
  }

  /// Returns the entries before a number, newest first.
  package func entries(before number: Int64?, limit: Int) throws -> [JournalEntry] {
    var statement = try connection.prepare(
      "SELECT number, date, entity, key, property, kept, overwritten, keptisours, author, "
        + "undone FROM PHM_JOURNAL "
        + "WHERE number < ?1 ORDER BY number DESC LIMIT ?2")
    try statement.bind(number ?? .max, limit)
    var entries: [JournalEntry] = []
    while try statement.step() {
      guard let layout = names.layoutIndex(statement.row.int64(at: 2)) else { continue }
      entries.append(
        JournalEntry(
          number: statement.row.int64(at: 0),
          date: Date(timeIntervalSinceReferenceDate: statement.row.double(at: 1)),
          object: RowKey(key: statement.row.int64(at: 3), layoutIndex: layout),
          property: statement.row.text(at: 4) ?? "", kept: statement.row.blob(at: 5),
          overwritten: statement.row.blob(at: 6), keptIsOurs: statement.row.int64(at: 7) != 0,
          author: statement.row.text(at: 8), isUndone: statement.row.int64(at: 9) != 0))
    }
    return entries
  }
}
