import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteStore

/// Applies one page of changes in one save, with the ledger's rows in the same transaction.
///
///     records ──▶ decode ──▶ objects ──▶ values ──▶ references ──▶ pairs ──▶ deletions ──▶ orders
///                                        ▼ overwritten: journal     ▼ missing: deferred   ──▶ save
///
/// It lives on its context's queue, for one attempt.
final class MirrorImport {
  let mirror: MirrorStore
  let context: NSManagedObjectContext
  let page: ImportPage
  /// The records of the page.
  let received: [ReceivedRecord]
  /// The records that the page deletes.
  let gone: Set<RecordIdentifier>
  let hook: MirrorHook?
  /// The merges that an earlier attempt found.
  private let merges: [DuplicateMerge]
  private(set) lazy var duplicates = ImportDuplicates(owner: self, earlier: merges)
  /// The known duplicates that records of the page absorbed.
  var mergedDuplicates: [RecordIdentifier: [MergedDuplicate]] = [:]
  var changes = LedgerChanges()
  /// The records of joined pairs among the changes, in their order.
  var pairRecords: [PairKey: [RecordIdentifier]] = [:]
  /// The ledger's rows of all records in the page.
  var known: [RecordIdentifier: LedgerRecord] = [:]
  /// The changes that a restored server lost, by zone; nil if it lost none.
  private var lostByZone: [RecordZoneIdentifier: LostHistory?] = [:]
  /// Records that belong to objects in other zones.
  var moves: RecordMoves?
  /// The loaded objects: those of the page, and those that it refers to.
  var objects: [RecordIdentifier: NSManagedObject] = [:]
  /// The records of objects, to detect changes by the program's hooks.
  var receivedRecords: [ObjectIdentifier: ReceivedRecord] = [:]
  /// The reasons why values are unreadable, by object and property.
  var failures: [ObjectIdentifier: [String: String]] = [:]
  /// The reasons why values of earlier records are unreadable.
  var formerFailures: [RowKey: [Int: String]] = [:]
  /// References and orders to set when all objects exist.
  var relations: [Relation] = []
  /// The number of applied or removed records.
  var count = 0

  /// The relationships to set for an object.
  struct Relation {
    let object: NSManagedObject
    let entity: MirrorEntity
    let zone: RecordZoneIdentifier
    let content: ObjectContent
    let properties: Set<String>
  }

  init(
    mirror: MirrorStore, context: NSManagedObjectContext, page: DecodedPage, hook: MirrorHook?,
    merges: [DuplicateMerge]
  ) {
    self.mirror = mirror
    self.context = context
    (self.page, received) = (page.page, page.records)
    gone = Set(page.page.deleted.map { RecordIdentifier($0) })
    (self.hook, self.merges) = (hook, merges)
    context.savesUnvalidated = true
  }

  /// Applies the page.
  ///
  /// - Returns: The number of applied or removed records.
  func run() throws -> Int {
    try lookUp()
    var pairs: [(pair: JoinPair, received: ReceivedRecord)] = []
    var made: [ReceivedRecord] = []
    var present: [(ReceivedRecord, LedgerRecord)] = []
    for record in received {
      switch record.meaning {
      case .object:
        if let stray = moves?.strays[record.identifier] {
          try StrayRecords(owner: self).absorb(record, stray)
        } else if let row = known[record.identifier], !comesBack(record, row) {
          present.append((record, row))
        } else {
          made.append(record)
        }
      case .pair(let pair):
        if let stray = moves?.strays[record.identifier] {
          try StrayRecords(owner: self).absorb(record, stray)
        } else {
          pairs.append((pair, record))
        }
      case .foreign: break
      }
    }
    try make(made)
    try change(present)
    try relate()
    try applyDeferred(dependingOn: made.map(\.identifier))
    for (pair, record) in pairs { try join(pair, record) }
    try remove()
    try arrange()
    try save()
    return count
  }

  // MARK: Looking up

  /// Finds the objects of the page and those that it refers to.
  ///
  /// The following save detects newer versions of the rows that were read.
  private func lookUp() throws {
    let own = received.map(\.identifier)
    let others = gone.union(received.flatMap(\.targets)).subtracting(own)
    let names = own + others.sorted()
    try mirror.ledger.completeOutbox()
    mergedDuplicates = try mirror.ledger.mergedDuplicates(of: gone.union(own))
    let before = try mirror.ledger.store.latestHistoryNumber()
    known = try mirror.ledger.subjects(of: names)
    try bringIn(known.values)
    try StrayRecords(owner: self).lookUp(names)
    guard try mirror.ledger.store.latestHistoryNumber() != before else { return }
    try mirror.ledger.completeOutbox()
    known = try mirror.ledger.subjects(of: names)
    try bringIn(known.values)
    try StrayRecords(owner: self).lookUp(names)
  }

  /// The changes that a restored server lost from a zone; nil if it lost none.
  func lost(in zone: RecordZoneIdentifier) throws -> LostHistory? {
    if let known = lostByZone[zone] { return known }
    let lost = try mirror.ledger.lostHistory(of: zone)
    lostByZone[zone] = .some(lost)
    return lost
  }

  /// Loads the objects of ledger rows.
  func bringIn(_ rows: some Sequence<LedgerRecord>) throws {
    var names: [RowKey: RecordIdentifier] = [:]
    for row in rows where objects[row.identifier] == nil {
      if let key = row.subject.object { names[key] = row.identifier }
    }
    guard !names.isEmpty else { return }
    let found = try ObjectReader(mirror: mirror, context: context).objects(names.keys)
    for (key, object) in found { objects[names[key] ?? mirror.nowhere] = object }
  }

  // MARK: Saving

  private func save() throws {
    (changes.zoneTokens, changes.received, changes.asked) = (
      page.zoneTokens, page.received, page.asked
    )
    changes.state.merge(page.state) { own, _ in own }
    page.addDeferred(to: &changes)
    for item in moves?.returned ?? [] { changes.resolve(item) }
    changes.deferred += moves?.left ?? []
    try duplicates.separate()
    context.hookListener = { [unowned self] in HookedChanges(owner: self).noteHooked($0) }
    defer { context.hookListener = nil }
    do {
      try mirror.ledger.importing(changes) { try context.save() }
    } catch {
      if error is LedgerOutdated || error is AnswerOvertaken { throw error }
      throw try duplicates.collision(error as NSError) ?? error
    }
  }
}

extension MirrorStore {
  /// A name that no record has.
  var nowhere: RecordIdentifier { RecordIdentifier(recordName: "", zone: homeZone) }
}
