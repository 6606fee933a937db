import CloudKitClient
import Foundation
import MirrorModel
import PredicateLanguage
import Synchronization

/// Listings of one record type in a public database.
extension PublicFeed {
  private typealias Page = (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  )

  /// Lists records, in any order.
  func forEachPage(
    _ type: String, _ predicate: NSPredicate, desiredKeys: [String]?, _ database: CKDatabase,
    _ body: (FoundRecords) async throws -> Void
  ) async throws {
    let query = CKQuery(recordType: type, predicate: predicate)
    try await goOn(
      from: try await firstPage(query, desiredKeys, database), desiredKeys, database, body)
  }

  /// Lists records in the order of their changes, if the server can sort.
  ///
  /// Sorting needs a sortable index of the modification date.
  ///
  /// - Parameter body: Receives each page, and whether later pages contain later changes.
  func listChanged(
    _ type: String, _ predicate: NSPredicate, _ database: CKDatabase,
    _ body: (FoundRecords, _ isInOrder: Bool) async throws -> Void
  ) async throws {
    let query = CKQuery(recordType: type, predicate: predicate)
    let (page, isInOrder) = try await firstPageInOrder(query, database)
    try await goOn(from: page, nil, database) { try await body($0, isInOrder) }
  }

  private func firstPageInOrder(
    _ query: CKQuery, _ database: CKDatabase
  ) async throws -> (page: Page?, isInOrder: Bool) {
    guard !importer.unsorted.contains(query.recordType) else {
      return (try await firstPage(query, nil, database), false)
    }
    let sorted = CKQuery(recordType: query.recordType, predicate: query.predicate)
    sorted.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: true)]
    do { return (try await firstPage(sorted, nil, database), true) } catch CKError.invalidArguments
    {
      let page = try await firstPage(query, nil, database)
      importer.unsorted.note(query.recordType)
      return (page, false)
    }
  }

  private var recordsInPage: Int { sizes.recordsInPage }

  /// Returns the first page of a query; nil if no record of the type was saved yet.
  private func firstPage(_ query: CKQuery, _ desiredKeys: [String]?, _ database: CKDatabase)
    async throws -> Page?
  {
    do {
      return try await database.records(
        matching: query, desiredKeys: desiredKeys, resultsLimit: recordsInPage)
    } catch CKError.unknownItem { return nil }
  }

  private func goOn(
    from first: Page?, _ desiredKeys: [String]?, _ database: CKDatabase,
    _ body: (FoundRecords) async throws -> Void
  ) async throws {
    guard var page = first else { return }
    while true {
      try Task.checkCancellation()
      try await body(try FoundRecords(Dictionary(page.matchResults, uniquingKeysWith: { $1 })))
      guard let cursor = page.queryCursor else { return }
      page = try await database.records(
        continuingMatchFrom: cursor, desiredKeys: desiredKeys, resultsLimit: recordsInPage)
    }
  }
}

/// The record types that the server cannot sort by modification date; a restart retries them.
final class UnsortedTypes: Sendable {
  private let types = Mutex<Set<String>>([])

  func contains(_ type: String) -> Bool { types.withLock { $0.contains(type) } }

  func note(_ type: String) { types.withLock { _ = $0.insert(type) } }
}
