import Foundation
import MirrorModel
import SQLiteDriver

/// The events of mirroring, in an open transaction.
struct EventTable {
  package let connection: Connection

  /// Begins or ends an event, and drops the oldest ones above the limit.
  package func note(_ event: LedgerEvent) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO PHM_EVENT(identifier, type, start, end, succeeded, error) VALUES(?, ?, ?, "
        + "?, ?, ?) "
        + "ON CONFLICT(identifier) DO UPDATE SET end = excluded.end, succeeded = "
        + "excluded.succeeded, error = excluded.error",
      [
        .text(event.identifier.uuidString), .integer(Int64(event.type)),
        .real(event.start.timeIntervalSinceReferenceDate),
        event.end.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null,
        .integer(event.succeeded ? 1 : 0), event.error.map(Value.blob) ?? .null,
      ])
    try connection.run(
      "DELETE FROM PHM_EVENT WHERE number <= (SELECT max(number) FROM PHM_EVENT) - ?1",
      LedgerLimits.events)
  }

  /// Returns the events that began at a date or later, oldest first.
  package func events(from date: Date?, limit: Int?) throws -> [LedgerEvent] {
    var statement = try connection.prepare(
      "SELECT identifier, type, start, end, succeeded, error FROM PHM_EVENT WHERE start >= ?1 "
        + "ORDER BY number LIMIT ?2"
    )
    try statement.bind(
      date?.timeIntervalSinceReferenceDate ?? -.greatestFiniteMagnitude, limit ?? -1)
    var events: [LedgerEvent] = []
    while try statement.step() {
      guard let identifier = statement.row.text(at: 0).flatMap(UUID.init(uuidString:)) else {
        continue
      }
      events.append(
        LedgerEvent(
          identifier: identifier, type: Int(statement.row.int64(at: 1)),
          start: Date(timeIntervalSinceReferenceDate: statement.row.double(at: 2)),
          end: statement.row.optionalDouble(at: 3).map { Date(timeIntervalSinceReferenceDate: $0) },
          succeeded: statement.row.int64(at: 4) != 0, error: statement.row.blob(at: 5)))
    }
    return events
  }
}
