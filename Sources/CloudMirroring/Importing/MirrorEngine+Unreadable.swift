import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// Records that nobody can read: the file of an asset is gone for good, an encrypted value is
/// damaged, or its key is lost.
///
/// They are set aside by name, with the place in the feed, and all others come. What is here of
/// their objects stays as it was, and what was changed of them here is held back: nobody knows what
/// it would overwrite. A record counts again as soon as it is told and can be read; besides it is
/// asked for once after each start, and whenever somebody asks for everything.
extension MirrorEngine {
  /// What the program is told of records that cannot be read.
  var unreadableFaults: [MirrorFault] {
    get throws {
      let all = try ledger.unreadable().sorted { $0.key.recordName < $1.key.recordName }
      guard let first = all.first?.value else { return [] }
      let others = all.count > 1 ? " \(all.count - 1) more cannot be read either." : ""
      return [MirrorFault(.unreadableRecord, first + others)]
    }
  }

  /// What the program is told of values that could not be read here, while the rest of their
  /// records was.
  var unreadFaults: [MirrorFault] {
    get throws {
      let items = try ledger.deferred(.value)
      guard let first = items.first, let (object, ordinal) = first.property else { return [] }
      let layout = site.layouts[object.layoutIndex]
      let name = try ledger.records(of: [object])[object]?.identifier.recordName ?? ""
      let place =
        "\(layout.entity.name ?? "").\(layout.properties[ordinal].name) of the record \(name)"
      let others = items.count > 1 ? " \(items.count - 1) more cannot be read either." : ""
      return [
        MirrorFault(
          .unreadableValue,
          "\(place) cannot be read here, and is left as it is in the cloud: "
            + "\(first.reason ?? "")\(others)",
          recordType: site.schema[layout.entity.name ?? ""]?.recordType)
      ]
    }
  }

  /// Asks once more for what could not be read, where somebody wants that.
  ///
  /// - Returns: How many records were changed here.
  func readAgain() async throws -> Int { try await readUnreadableAgain() + readUnreadValuesAgain() }

  /// Asks once more for values that could not be read here, once after each start: the program may
  /// have what reads them by now.
  ///
  /// Nothing else of their records is fetched. One that has changed since is told by the feed, as a
  /// whole.
  private func readUnreadValuesAgain() async throws -> Int {
    guard unreadable.areValuesToBeAsked.load(ordering: .relaxed) else { return 0 }
    var (count, last): (Int, DeferredItem?) = (0, nil)
    while true {
      let items = try ledger.deferred(.value, after: last, limit: MirrorLimits.recordsInPage)
      guard !items.isEmpty else { break }
      last = items.last
      let objects = Array(Set(items.compactMap { $0.property?.object }))
      let rows = try ledger.records(of: objects).values.filter { $0.tag != nil }
      let tags = Dictionary(
        rows.map { ($0.identifier.recordID, $0.tag) }, uniquingKeysWith: { first, _ in first })
      let found = try await site.database.records(
        for: tags.keys.sorted { $0.recordName < $1.recordName },
        desiredKeys: try unreadFields(of: objects))
      let records = try FoundRecords(found.filter { !$0.value.isToPass }).records
      var told = ImportPage(
        isRelisting: true, records: records.filter { $0.recordChangeTag == tags[$0.recordID] })
      told.isPartial = true
      count += try await takeIn(told)
    }
    unreadable.areValuesToBeAsked.store(false, ordering: .relaxed)
    return count
  }

  /// The fields of values that could not be read of some objects, and what says of which entities
  /// these are.
  private func unreadFields(of objects: [RowKey]) throws -> [String] {
    let fields = try ledger.unreadValues(of: objects).flatMap { object, values in
      let entity = site.schema[site.layouts[object.layoutIndex].entity.name ?? ""]
      return site.names(values, of: object).keys.flatMap { entity?.fields(of: $0) ?? [] }
    }
    return Set(fields).sorted() + [MirrorNames.entityName]
  }

  private func readUnreadableAgain() async throws -> Int {
    guard unreadable.isToBeAsked.load(ordering: .relaxed) else { return 0 }
    let known = try ledger.unreadable()
    guard !known.isEmpty else { return 0 }
    let found = try await site.database.records(
      for: known.keys.sorted { $0.recordName < $1.recordName })
    // What cannot be had now is asked for the next time; of what is gone the feed tells.
    let answers = try FoundRecords(found.filter { !$0.value.isToPass })
    var page = ImportPage(answers, among: known.keys)
    if site.scope == .public { page.told = try telling(answers) }
    let count = try await takeIn(page)
    unreadable.isToBeAsked.store(false, ordering: .relaxed)
    return count
  }
}

/// Whether what no feed tells is to be asked for once more.
final class UnreadableRecords: Sendable {
  /// Whether the next look at a public database compares all names, which tells deletions.
  let areNamesToBeCompared = Atomic(false)
  let isToBeAsked = Atomic(true)
  /// The same of single values of records that can be read otherwise.
  let areValuesToBeAsked = Atomic(true)
}

/// What became of records that were asked for.
struct FoundRecords {
  /// Those that can be read, in the order of their names.
  private(set) var records: [CKRecord] = []
  /// Those that this device has no keys for.
  private(set) var sealed: [CKRecord.ID] = []
  /// Those that no device can read, with what is wrong.
  private(set) var unreadable: [CKRecord.ID: MirrorFault] = [:]

  /// All that are there.
  var names: [CKRecord.ID] { records.map(\.recordID) + sealed + unreadable.keys }

  /// Divides the results of a fetch by whether they can be read.
  ///
  /// - Throws: What keeps a record from being had that passes.
  init(_ results: [CKRecord.ID: Result<CKRecord, any Error>]) throws {
    for (recordID, result) in results.sorted(by: { $0.key.recordName < $1.key.recordName }) {
      do { records.append(try result.get()) } catch let error as CKError where error.areKeysMissing
      {
        sealed.append(recordID)
      } catch let error as CKError where error.isUnreadable {
        unreadable[recordID] = MirrorFault(unreadable: recordID, error)
      }
    }
  }
}

extension ImportPage {
  /// A page of records that were asked for.
  ///
  /// - Parameter known: The records that could not be read before.
  init(_ found: FoundRecords, isRelisting: Bool = false, among known: some Collection<CKRecord.ID>)
  {
    self.init(isRelisting: isRelisting)
    add(found.records, deleted: [], sealed: found.sealed, unreadable: found.unreadable)
    noteUnreadable(among: known)
  }
}

extension CKRecord {
  /// Whether who is signed in has made it.
  var isOwn: Bool { creatorUserRecordID?.recordName == CKCurrentUserDefaultName }
}

extension MirrorFault {
  /// A record cannot be read.
  init(unreadable recordID: CKRecord.ID, _ error: CKError) {
    self.init(
      .unreadableRecord,
      "The record \(recordID.recordName) cannot be read: \(error.localizedDescription)")
    cause.error = error
  }
}

extension Result where Success == CKRecord, Failure == any Error {
  /// Whether the record may be had another time, or is gone.
  fileprivate var isToPass: Bool {
    guard case .failure(let error) = self, let error = error as? CKError else { return false }
    return !error.areKeysMissing && !error.isUnreadable
  }
}

extension Ledger {
  /// The records that cannot be read, with what is wrong.
  func unreadable() throws -> [CKRecord.ID: String] {
    Dictionary(uniqueKeysWithValues: try unreadableRecords().map { ($0.key.recordID, $0.value) })
  }
}

extension LedgerStateKey {
  /// What is wrong with a record that cannot be read.
  static func unreadable(_ recordID: CKRecord.ID) -> Self { unreadable(RecordIdentifier(recordID)) }
}
