import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver

/// One-to-one relationships that devices set to different objects.
///
/// Both sides are in records; one decides (`MirrorReference.decides`), the other is ignored. Two
/// objects may still claim the same target. The smaller record name wins on every device:
///
///     import finds a held target ──▶ the new reference is deferred as contested
///     end of the feed ──▶ the target is free, or held by a larger name: the smallest name wins
///                     ├─▶ a record involved is unreadable: the reference stays deferred
///                     └─▶ else the claimant loses the target, and the loss is sent
///
/// If a relationship is its own inverse, the record with the smaller name decides on each pair. So
/// a target that moves is not lost if parts of a feed report one record each. Losses are journaled.
struct ContestedReferences: ImporterPart {
  let importer: Importer

  /// Settles contested references at the end of a feed, which shows the targets that were released.
  func settle() async throws {
    let items = try await ready()
    guard !items.isEmpty else { return }
    let given = try await importer.retryingSaveConflicts { try await give(items) }
    let lost = items.filter { !given.contains($0) }
    try ledger.send(lost, journal: try entries(of: lost))
  }

  /// Gives claimants their targets if these are free or held by a larger name.
  ///
  /// Claims are settled in the order of the claimants' names, which is the same on all devices.
  private func give(_ items: [DeferredItem]) async throws -> Set<DeferredItem> {
    try await mirror.withContext(author: MirrorNames.importAuthor) { [mirror] context in
      let claims = try mirror.claims(items, in: context)
      var changes = LedgerChanges()
      var given: Set<DeferredItem> = []
      context.savesUnvalidated = true
      for claim in claims.sorted(by: { $0.name.precedes($1.name) }) {
        guard let own = claim.name,
          claim.source.objectIDs(forRelationshipNamed: claim.reference.property).isEmpty
        else { continue }
        let rivals = try claim.rivals(at: mirror)
        guard rivals.allSatisfy({ own < $0.record }) else { continue }
        for rival in rivals {
          try changes.lose(claim.reference, rival, named: mirror.record(of:), mirror)
        }
        changes.resolve(claim.item)
        given.insert(claim.item)
        claim.source.replaceValue(of: claim.reference.property, by: claim.target)
        context.processPendingChanges()
      }
      if !given.isEmpty { try mirror.ledger.importing(changes) { try context.save() } }
      return given
    }
  }

  private func entries(of lost: [DeferredItem]) throws -> [JournalEntry] {
    let names = try ledger.records(of: lost.compactMap { $0.property?.object }).mapValues(
      \.identifier)
    return lost.compactMap { item in
      guard let object = item.property?.object, let record = names[object],
        let entity = mirror.layouts[object.layoutIndex].entity.name
      else { return nil }
      let claim = LostClaim(
        entity: entity, record: record, property: mirror.name(of: item),
        target: item.dependency ?? "")
      return JournalEntry(claim.entry(.local), object, at: mirror.now)
    }
  }

  /// Returns the references that can be settled.
  ///
  /// A reference stays deferred while the record of its object or of a rival cannot be read, or
  /// while only other users have received that record.
  func ready() async throws -> [DeferredItem] {
    let items = try references()
    guard !items.isEmpty else { return [] }
    let unread = Set(
      try (ledger.deferred(.unreadable) + ledger.deferred(.sealed)).compactMap(\.record))
    guard !unread.isEmpty || mirror.scope == .public else { return items }
    let rivals = try await rivals(of: items)
    let unclear = unread.union(try importer.readers.unverifiable(rivals.flatMap(\.self)))
    let names = try ledger.records(of: items.compactMap { $0.property?.object }).mapValues(
      \.identifier)
    return zip(items, rivals).filter { item, rivals in
      let own = item.property.flatMap { names[$0.object] }
      return unclear.isDisjoint(with: rivals + [own].compactMap(\.self))
    }
    .map(\.0)
  }

  /// Returns the references whose targets exist.
  private func references() throws -> [DeferredItem] {
    let items = try ledger.deferred(.contested)
    let targets = try ledger.subjects(of: items.compactMap(\.target))
    return items.filter { item in
      item.target.flatMap { targets[$0] }.map { $0.pending != .deletion } ?? false
    }
  }

  /// Returns the records of the objects that hold the targets.
  func holders() async throws -> [RecordIdentifier] {
    let items = try references()
    return items.isEmpty ? [] : try await rivals(of: items).flatMap(\.self)
  }

  /// Returns the records of the objects that hold the targets of items.
  private func rivals(of items: [DeferredItem]) async throws -> [[RecordIdentifier]] {
    try await mirror.withContext { [mirror] context in
      let claims = Dictionary(
        try mirror.claims(items, in: context).map { ($0.item, $0) },
        uniquingKeysWith: { first, _ in first })
      return try items.map { try claims[$0]?.rivals(at: mirror).map(\.record) ?? [] }
    }
  }
}

/// A lost claim for the journal.
private struct LostClaim {
  let entity: String
  let record: RecordIdentifier
  let property: String
  /// The record name of the target, which another object has.
  let target: String

  func entry(_ winner: MergeJournalEntry.Side) -> MergeJournalEntry {
    let nothing = ObjectContent(entity: entity, recordName: record.recordName)
    var lost = nothing
    lost.references[property] = target
    return MergeJournalEntry(
      entity: entity, recordName: record.recordName, property: property, kept: nothing,
      overwritten: lost, winner: winner)
  }
}

extension LedgerChanges {
  /// Records that a claimant lost its target to a smaller name; the loss is sent and journaled.
  ///
  /// If the relationship is its own inverse, the target's side is sent as well.
  fileprivate mutating func lose(
    _ reference: MirrorReference, _ claimant: Claimant,
    named name: (NSManagedObject) throws -> RecordIdentifier?, _ mirror: MirrorStore
  ) rethrows {
    guard let target = try name(claimant.target)?.recordName,
      let entity = claimant.object.entity.name
    else { return }
    for object in reference.isItsOwnInverse
      ? [claimant.object, claimant.target] : [claimant.object]
    {
      let key = object.objectID.rowKey
      guard let ordinal = mirror.layouts[key.layoutIndex].ordinal(of: reference.property) else {
        continue
      }
      hooked[key, default: OrdinalSet()].insert(ordinal)
    }
    let claim = LostClaim(
      entity: entity, record: claimant.record, property: reference.property, target: target)
    journal.append(
      JournalEntry(claim.entry(.server), claimant.object.objectID.rowKey, at: mirror.now))
  }
}

/// A contested reference with its objects.
private struct Claim {
  let item: DeferredItem
  let reference: MirrorReference
  let source: NSManagedObject
  let target: NSManagedObject
  /// The record of the source.
  let name: RecordIdentifier?

  func rivals(at mirror: MirrorStore) throws -> [Claimant] {
    try reference.rivals(of: source, for: target, named: mirror.record(of:))
  }
}

extension MirrorStore {
  /// The name of the property of an item.
  fileprivate func name(of item: DeferredItem) -> String {
    item.property.map { layouts[$0.object.layoutIndex].properties[$0.ordinal].name } ?? ""
  }

  /// The objects of contested references; items without their objects are left out.
  fileprivate func claims(_ items: [DeferredItem], in context: NSManagedObjectContext) throws
    -> [Claim]
  {
    let reader = ObjectReader(mirror: self, context: context)
    let sources = items.compactMap { $0.property?.object }
    let names = try ledger.records(of: sources).mapValues(\.identifier)
    let records = try ledger.subjects(of: items.compactMap(\.target))
    let objects = try reader.objects(
      Set(sources + records.values.compactMap { $0.subject.object }))
    return items.compactMap { item in
      guard let key = item.property?.object, let source = objects[key],
        let target = item.target.flatMap({ records[$0]?.subject.object }).flatMap({ objects[$0] }),
        let reference = schema[layouts[key.layoutIndex].entity.name ?? ""]?
          .reference(name(of: item))
      else { return nil }
      return Claim(
        item: item, reference: reference, source: source, target: target, name: names[key])
    }
  }

  /// Returns the record of a saved object.
  fileprivate func record(of object: NSManagedObject) throws -> RecordIdentifier? {
    let key = object.objectID.rowKey
    return try ledger.records(of: [key])[key]?.identifier
  }
}

extension RecordIdentifier? {
  /// Whether a name sorts first; an unknown one sorts last.
  fileprivate func precedes(_ other: RecordIdentifier?) -> Bool {
    guard let self, let other else { return self != nil && other == nil }
    return self < other
  }
}
