import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// The blockers of unreadable records and values.
extension Importer {
  var unreadableBlockers: [MirrorError] {
    get throws {
      let items = try ledger.deferred(.unreadable).sorted()
      guard let first = items.first?.reason else { return [] }
      let others = items.count > 1 ? " \(items.count - 1) more cannot be read either." : ""
      return [MirrorError(.unreadableRecord, first + others)]
    }
  }

  /// The blockers of sealed records, one of each kind.
  var sealedBlockers: [MirrorError] {
    get throws {
      let items = try ledger.deferred(.sealed, limit: MirrorLimits.recordsInPage)
      let failures = items.map { MirrorError(unread: $0) }
      return [MirrorError.Kind.keysMissing, .peopleChanged].compactMap { kind in
        failures.first { $0.kind == kind }
      }
    }
  }

  /// The blocker of unreadable values.
  var unreadBlockers: [MirrorError] {
    get throws {
      let items = try ledger.deferred(.value)
      guard let first = items.first, let (object, ordinal) = first.property else { return [] }
      let layout = mirror.layouts[object.layoutIndex]
      let name = try ledger.records(of: [object])[object]?.identifier.recordName ?? ""
      let place =
        "\(layout.entity.name ?? "").\(layout.properties[ordinal].name) of the record \(name)"
      let others = items.count > 1 ? " \(items.count - 1) more cannot be read either." : ""
      return [
        MirrorError(
          .unreadableValue,
          "\(place) cannot be read here, and stays unchanged in the cloud: "
            + "\(first.reason ?? "")\(others)",
          recordType: mirror.schema[layout.entity.name ?? ""]?.recordType)
      ]
    }
  }
}

/// Deferred records that are fetched by name and applied.
///
/// | kind | fetched |
/// |---|---|
/// | successor | at the end of a feed |
/// | sealed | like unreadable, if this device has keys; other imports fetch one page as a probe |
/// | unreadable | once after each start, by `sync()`, and when keys have arrived |
/// | value | once after each start; only the unreadable fields |
extension Importer {
  /// Refetches records and values that could not be read.
  ///
  /// - Returns: The number of changed records.
  func refetchUnread() async throws -> Int {
    var count = 0
    let isAll = unreadable.isToBeAsked.load(ordering: .relaxed)
    if try !ledger.deferred(.sealed, limit: 1).isEmpty {
      let hasKeys = try await mirror.container.encryption.hasKeys()
      if hasKeys { count += try await refetch(.sealed, skipsSealedZones: !isAll) }
    }
    if isAll {
      count += try await refetch(.unreadable)
      unreadable.isToBeAsked.store(false, ordering: .relaxed)
    }
    if unreadable.needsValueRefetch.load(ordering: .relaxed) {
      count += try await refetch(.value)
      unreadable.needsValueRefetch.store(false, ordering: .relaxed)
    }
    return count
  }

  /// Fetches and applies the records of all items of a kind, page by page.
  ///
  /// - Parameter skipsSealedZones: Whether to skip zones after a page without readable records,
  ///   because their keys have probably not been delivered yet.
  func refetch(_ kind: DeferredItem.Kind, skipsSealedZones: Bool = false) async throws -> Int {
    var (count, last): (Int, DeferredItem?) = (0, nil)
    var skipped: Set<RecordZoneIdentifier?> = []
    while true {
      try Task.checkCancellation()
      let next = try ledger.deferred(kind, after: last, limit: MirrorLimits.recordsInPage)
      guard let end = next.last else { return count }
      last = end
      let items = next.filter { !skipped.contains($0.zone) }
      if items.isEmpty { continue }
      let (changed, isSealed) = try await retryingIfOvertaken {
        let received = try await page(of: items, kind)
        return (try await apply(received), received.records.isEmpty)
      }
      count += changed
      if skipsSealedZones, isSealed { skipped.formUnion(items.map(\.zone)) }
    }
  }

  private func page(of items: [DeferredItem], _ kind: DeferredItem.Kind) async throws -> ImportPage
  {
    let asked = try ledger.moment()
    var page: ImportPage
    if kind == .value {
      page = try await partialPage(of: items)
    } else {
      let database = kind == .successor ? try databaseOfNewFiles : try mirror.database
      let results = try await database.records(for: items.compactMap { $0.record?.recordID })
      // The feed reports deletions. Other errors of an unreadable record are retried later.
      let found = try FoundRecords(
        results.filter { !$0.value.isUnknown && (kind == .successor || !$0.value.isTransient) })
      page = ImportPage(found)
      page.settle(results.filter(\.value.isUnknown).keys)
      if mirror.scope == .public { page.received = try readers.telling(found) }
    }
    page.asked = asked
    for zone in Set(items.compactMap(\.zone)) { reconciliation(of: zone).note(page) }
    return page
  }

  /// Fetches the unreadable fields of records that have not changed since.
  private func partialPage(of items: [DeferredItem]) async throws -> ImportPage {
    let objects = Array(Set(items.compactMap { $0.property?.object }))
    let rows = try ledger.records(of: objects).values.filter { $0.tag != nil }
    let tags = Dictionary(
      rows.map { ($0.identifier.recordID, $0.tag) }, uniquingKeysWith: { first, _ in first })
    let results = try await mirror.database.records(
      for: tags.keys.sorted { $0.recordName < $1.recordName },
      desiredKeys: try unreadFields(of: objects))
    let records = try FoundRecords(results.filter { !$0.value.isTransient }).records
    var page = ImportPage(
      isRelisting: true, records: records.filter { $0.recordChangeTag == tags[$0.recordID] })
    page.isPartial = true
    return page
  }

  /// Returns the fields of objects' unread values, and the field of the entity's name.
  private func unreadFields(of objects: [RowKey]) throws -> [String] {
    let fields = try ledger.unreadValues(of: objects).flatMap { object, values in
      let entity = mirror.schema[mirror.layouts[object.layoutIndex].entity.name ?? ""]
      return mirror.names(values, of: object).keys.flatMap { entity?.fields(of: $0) ?? [] }
    }
    return Set(fields).sorted() + [MirrorNames.entityName]
  }
}

/// Flags for fetching what no feed reports.
final class RefetchFlags: Sendable {
  /// Whether the next poll of a public database compares all names, which finds deletions.
  let needsNameComparison = Atomic(false)
  /// Whether the next import fetches all unread records, not only those that may be readable now.
  let isToBeAsked = Atomic(true)
  /// Whether to fetch unreadable values of readable records again.
  let needsValueRefetch = Atomic(true)
}

/// The results of fetching records by name.
struct FoundRecords {
  /// The readable records, sorted by name.
  private(set) var records: [CKRecord] = []
  /// The existing records that cannot be read, with the errors.
  private(set) var unread: [CKRecord.ID: MirrorError] = [:]

  /// The names of all existing records.
  var names: [CKRecord.ID] { records.map(\.recordID) + unread.keys }

  /// Separates the results of a fetch into readable and unreadable records.
  ///
  /// - Throws: A temporary error of a record.
  init(_ results: [CKRecord.ID: Result<CKRecord, any Error>]) throws {
    for (recordID, result) in results.sorted(by: { $0.key.recordName < $1.key.recordName }) {
      do { records.append(try result.get()) } catch {
        guard let failure = MirrorError(unread: recordID, error) else { throw error }
        unread[recordID] = failure
      }
    }
  }
}

extension ImportPage {
  /// A page of records that were fetched by name.
  init(_ found: FoundRecords, isRelisting: Bool = false) {
    self.init(isRelisting: isRelisting)
    add(found.records, deleted: [], unread: found.unread)
  }
}

extension CKRecord {
  /// Whether the signed-in user created the record.
  var isOwn: Bool { creatorUserRecordID?.recordName == CKCurrentUserDefaultName }
}

extension MirrorError {
  /// Creates the error of a record that exists but cannot be read; nil for any other error.
  init?(unread recordID: CKRecord.ID, _ error: any Error) {
    guard let error = error as? CKError, error.allowsFeedToAdvance, error.code != .unknownItem
    else { return nil }
    self.init(error)
    guard !kind.awaitsKeys else { return }
    kind = .unreadableRecord
    message = "The record \(recordID.recordName) cannot be read: \(message)"
  }

  /// Creates the error of a deferred record that cannot be read.
  init(unread item: DeferredItem) {
    let kind = item.payload.flatMap { Kind(rawValue: String(decoding: $0, as: UTF8.self)) }
    self.init(
      kind ?? (item.kind == .sealed ? .keysMissing : .unreadableRecord),
      item.reason ?? "This device has no keys for the encrypted values of some records.")
  }
}

extension Result where Success == CKRecord, Failure == any Error {
  /// Whether the record is gone, or may be available later.
  fileprivate var isTransient: Bool {
    guard case .failure(let error as CKError) = self else { return false }
    return !error.allowsFeedToAdvance || error.code == .unknownItem
  }
}
