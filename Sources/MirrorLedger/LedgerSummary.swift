import CloudRecords
package import Foundation
import MirrorModel
package import SQLiteDriver

/// A summary of a store's mirroring, for people who inspect a file without its model.
package struct LedgerSummary: Codable, Equatable, Sendable {
  /// The version of the ledger's tables.
  package let version: Int64
  /// The record name of the user of the store's data; nil before the first sign-in.
  ///
  /// It is also nil for a public database.
  package let account: String?
  /// The zones that the store mirrors.
  package let zones: [String]
  /// The number of objects and pairs that the server has acknowledged.
  package let acknowledged: Int64
  /// The pending entries.
  package let pending: Pending
  /// The number of entries that were sent but not answered.
  package let unanswered: Int64
  /// The number of references and pairs that wait for objects.
  package let waitingReferences: Int64
  /// The unreadable records, with the reasons.
  package let unreadable: [String: String]
  /// The number of entries in the conflict journal.
  package let conflicts: Int64
  /// The latest transaction of the history that the outbox includes.
  package let notedTransaction: Int64
  /// When an import last completed.
  package let lastImport: Date?
  /// When an export last completed.
  package let lastExport: Date?

  /// The numbers of pending insertions, updates, deletions and pairs.
  package struct Pending: Codable, Equatable, Sendable {
    package let insertions: Int
    package let updates: Int
    package let deletions: Int
    package let pairs: Int
  }

  private static func unreadable(_ connection: Connection) throws -> [String: String] {
    var statement = try connection.prepare(
      "SELECT record, reason FROM PHM_DEFERRED WHERE kind = ?1")
    try statement.bind(DeferredItem.Kind.unreadable.rawValue, at: 1)
    var found: [String: String] = [:]
    while try statement.step() {
      if let name = RecordName(statement.row, at: 0) {
        found[name.text] = statement.row.text(at: 1)
      }
    }
    return found
  }

  /// Reads a file; nil if it was never mirrored.
  package init?(_ connection: Connection) throws {
    guard try connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'PHM_STATE'") != nil else {
      return nil
    }
    func count(_ sql: String) throws -> Int64 { try connection.number(sql) ?? 0 }
    func date(_ key: LedgerStateKey) throws -> Date? {
      guard case .real(let seconds)? = try connection.state(key) else { return nil }
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    version = try connection.stateNumber(.version)
    if case .text(let name)? = try connection.state(.account) {
      account = name
    } else {
      account = nil
    }
    zones = try connection.rows("SELECT name FROM PHM_ZONE ORDER BY name").compactMap { row in
      if case .text(let name)? = row.first { name } else { nil }
    }
    let tables = ["PHM_OBJECT", "PHM_PAIR"]
    acknowledged = try tables.reduce(0) {
      try $0 + count("SELECT count(*) FROM \($1) WHERE reach = 2")
    }
    let amount = try PendingAmount(connection)
    pending = Pending(
      insertions: amount.insertions, updates: amount.updates, deletions: amount.deletions,
      pairs: amount.pairs)
    unanswered = try tables.reduce(0) {
      try $0 + count("SELECT count(*) FROM \($1) WHERE sent IS NOT NULL")
    }
    waitingReferences = try count(DeferredTable.referenceCount)
    unreadable = try Self.unreadable(connection)
    conflicts = try count("SELECT count(*) FROM PHM_JOURNAL")
    notedTransaction = try connection.noted()
    (lastImport, lastExport) = (try date(.lastImport), try date(.lastExport))
  }
}
