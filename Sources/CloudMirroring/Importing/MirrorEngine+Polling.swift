import CloudKitClient
import CloudRecords
import Foundation
import ObjectRows
import PredicateLanguage
import SQLiteDriver

extension LedgerStateKey {
  /// Up to when the records of a public database were asked for, in seconds since 2001.
  static let polledUntil = Self("polledUntil")
  /// When the names of a public database's records were last compared.
  static let namesCompared = Self("namesCompared")
}

/// A public database tells nobody of its changes: it is asked for what was changed since, and now and then for all names.
extension MirrorEngine {
  func poll() async throws -> Int {
    let begin = site.now
    let since = try ledger.date(.polledUntil)
    var count = 0
    for type in recordTypes {
      // Clocks of servers differ a little, and a record that was seen already is skipped.
      let from = since.map { $0.addingTimeInterval(-MirrorLimits.clockSkewSeconds) } ?? .distantPast
      count += try await poll(type, NSPredicate(format: "modificationDate > %@", from as NSDate))
    }
    if try isTimeToCompare(begin) {
      count += try await removeUnnamed()
      try ledger.setState([.namesCompared: .real(begin.timeIntervalSinceReferenceDate)])
    }
    try ledger.setState([.polledUntil: .real(begin.timeIntervalSinceReferenceDate)])
    return count
  }

  private var recordTypes: [String] {
    let types = Set(site.schema.entities.map(\.recordType)).sorted()
    return site.schema.joins.isEmpty ? types : types + [MirrorNames.joinType]
  }

  private func poll(_ type: String, _ predicate: NSPredicate) async throws -> Int {
    var count = 0
    try await forEachPage(type, predicate, desiredKeys: nil) { records in
      count += try await self.takeIn(ImportPage(records: records))
      self.progress.received(records.count)
    }
    return count
  }

  private func forEachPage(
    _ type: String, _ predicate: NSPredicate, desiredKeys: [String]?, _ body: ([CKRecord]) async throws -> Void
  ) async throws {
    let query = CKQuery(recordType: type, predicate: predicate)
    do {
      var page = try await site.database.records(
        matching: query, desiredKeys: desiredKeys, resultsLimit: MirrorLimits.recordsInPage)
      while true {
        try await body(try page.matchResults.map { try $0.1.get() })
        guard let cursor = page.queryCursor else { return }
        page = try await site.database.records(
          continuingMatchFrom: cursor, desiredKeys: desiredKeys, resultsLimit: MirrorLimits.recordsInPage)
      }
    } catch CKError.unknownItem {
      // Nobody has saved a record of the type yet.
      return
    }
  }

  // MARK: Deletions

  private func isTimeToCompare(_ now: Date) throws -> Bool {
    guard let last = try ledger.date(.namesCompared) else {
      // The first listing has named everything.
      try ledger.setState([.namesCompared: .real(now.timeIntervalSinceReferenceDate)])
      return false
    }
    return now.timeIntervalSince(last) >= MirrorLimits.compareNamesSeconds
  }

  /// Removes objects whose records nobody names any more.
  private func removeUnnamed() async throws -> Int {
    sweep.begin()
    for type in recordTypes {
      try await forEachPage(type, NSPredicate(value: true), desiredKeys: []) {
        self.sweep.note(ImportPage(records: $0))
      }
    }
    return try await endSweep(site.homeZone)
  }
}

extension Ledger {
  /// A moment among the state.
  func date(_ key: LedgerStateKey) throws -> Date? {
    guard case .real(let seconds)? = try state(key) else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}
