import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver

/// One-to-one relationships that devices set to different objects, not knowing of each other.
///
/// Both sides of such a relationship are in records; one of them decides
/// (`MirrorReference.decides`), and what the other says is passed over. Two objects may still claim
/// the same target. The one with the smaller record name has it, on every device:
///
///     import finds that another one has the target ──▶ who comes waits, as for a target that has not come
///     end of the feed ──▶ the target was let go meanwhile, or one with a larger name has it: of those who wait the one with the
///                     │   smallest name gets it; the other one's loss is sent
///                     ├─▶ the record of who has it, or of who waits, cannot be read by anybody: waits on
///                     └─▶ else who waits loses it, which is sent
///
/// Of a relationship that is its own inverse the record with the smaller name decides on each pair,
/// and claims the other one.
///
/// So a target that goes from one to the other is not lost where a feed tells of both in several
/// parts, and nobody's loss is sent over what the rest of the feed tells of them. What somebody
/// loses is in the journal.
extension MirrorImport {
  /// Whether an object has to wait for a target that another one has, until the end of the feed: it
  /// may tell that this one has let it go.
  func yields(_ object: NSManagedObject, _ property: String, _ target: NSManagedObject) throws
    -> Bool
  {
    guard let reference = site.schema[object.entity.name ?? ""]?.reference(property) else {
      return false
    }
    return try reference.rivals(of: object, for: target, named: name(of:)).contains { rival in
      try !gone.contains(rival.record) && claims(rival.object, property, rival.target)
    }
  }

  /// Whether an object still claims what it has: a record of the page may say that it does no more.
  private func claims(_ holder: NSManagedObject, _ property: String, _ target: NSManagedObject)
    throws -> Bool
  {
    let told = relations.first { $0.object === holder && $0.properties.contains(property) }
    guard let told else { return true }
    return try told.content.references[property] == name(of: target)?.recordName
  }

  /// The record of an object.
  func name(of object: NSManagedObject) throws -> RecordIdentifier? {
    if let known = objects.first(where: { $0.value === object }) { return known.key }
    let key = object.objectID.rowKey
    return try site.ledger.records(of: [key])[key]?.identifier
  }
}

/// What a claim has lost, for the journal.
private struct LostClaim {
  let entity: String
  let record: RecordIdentifier
  let property: String
  /// The name of the record of what another one has.
  let target: String

  func entry(_ winner: MergeJournalEntry.Side) -> MergeJournalEntry {
    let nothing = ObjectContent(entity: entity, recordName: record.recordName)
    var lost = nothing
    lost.references[property] = target
    return MergeJournalEntry(
      entity: entity, recordName: record.recordName, property: property, kept: nothing,
      overwritten: lost,
      winner: winner)
  }
}

extension LedgerChanges {
  /// Notes that an object loses a target to one with a smaller name: that is sent, and is in the
  /// journal.
  ///
  /// Of a relationship that is its own inverse, what the target says of it is none of it either.
  fileprivate mutating func lose(
    _ reference: MirrorReference, _ claimant: Claimant,
    named name: (NSManagedObject) throws -> RecordIdentifier?,
    _ site: MirrorSite
  ) rethrows {
    guard let target = try name(claimant.target)?.recordName,
      let entity = claimant.object.entity.name
    else { return }
    for object in reference.isItsOwnInverse
      ? [claimant.object, claimant.target] : [claimant.object]
    {
      let key = object.objectID.rowKey
      guard let ordinal = site.layouts[key.layoutIndex].ordinal(of: reference.property) else {
        continue
      }
      hooked[key, default: OrdinalSet()].insert(ordinal)
    }
    let claim = LostClaim(
      entity: entity, record: claimant.record, property: reference.property, target: target)
    journal.append(
      JournalEntry(claim.entry(.server), claimant.object.objectID.rowKey, at: site.now))
  }
}

extension MirrorEngine {
  /// Gives what was let go meanwhile to who waits for it, and takes it from who waits for what
  /// another one has.
  ///
  /// It is called at the end of a feed, when all that was let go is known.
  func settleClaims() async throws {
    let claims = try await openClaims()
    guard !claims.isEmpty else { return }
    let given = try await savingAgain { try await give(claims) }
    let lost = claims.map(\.reference).filter { !given.contains($0) }
    try ledger.send(lost, journal: try entries(of: lost))
  }

  /// Gives what nobody has, or who has a larger name, to who waits for it, in the order of their
  /// names, which all devices share.
  private func give(_ claims: [OpenClaim]) async throws -> Set<ParkedReference> {
    try await site.withContext(author: MirrorNames.importAuthor) { [site] context in
      let reader = ObjectReader(site: site, context: context)
      let sources = try reader.objects(claims.map(\.reference.source))
      let targets = try reader.objects(claims.map(\.target))
      let names = try site.ledger.records(of: claims.map(\.reference.source)).mapValues(
        \.identifier)
      var changes = LedgerChanges()
      context.savesUnvalidated = true
      for claim in claims.sorted(by: {
        names[$0.reference.source].precedes(names[$1.reference.source])
      }) {
        guard let source = sources[claim.reference.source], let target = targets[claim.target],
          let reference = site.reference(claim), let own = names[claim.reference.source],
          source.objectIDs(forRelationshipNamed: reference.property).isEmpty
        else { continue }
        let rivals = try reference.rivals(of: source, for: target, named: site.record(of:))
        guard rivals.allSatisfy({ own < $0.record }) else { continue }
        for rival in rivals { try changes.lose(reference, rival, named: site.record(of:), site) }
        changes.unparked.append(claim.reference)
        source.replaceValue(of: reference.property, by: target)
        context.processPendingChanges()
      }
      if !changes.unparked.isEmpty { try site.ledger.importing(changes) { try context.save() } }
      return Set(changes.unparked)
    }
  }

  private func entries(of lost: [ParkedReference]) throws -> [JournalEntry] {
    let names = try ledger.records(of: lost.map(\.source)).mapValues(\.identifier)
    return lost.compactMap { reference in
      guard let record = names[reference.source],
        let entity = site.layouts[reference.source.layoutIndex].entity.name
      else { return nil }
      let claim = LostClaim(
        entity: entity, record: record, property: site.property(of: reference),
        target: reference.target.recordName)
      return JournalEntry(claim.entry(.local), reference.source, at: site.now)
    }
  }

  /// Who waits for what another one has, but for those of whom nobody knows what they claim by now:
  /// their records, or those of who has it, cannot be read, or others alone were told of them.
  func openClaims() async throws -> [OpenClaim] {
    let claims = try ledger.claims()
    guard !claims.isEmpty else { return [] }
    let setAside = Set(try ledger.unreadable().keys.map { RecordIdentifier($0) })
    guard !setAside.isEmpty || site.scope == .public else { return claims }
    let rivals = try await rivals(of: claims)
    let unclear = setAside.union(try unknowable(rivals.flatMap(\.self)))
    let names = try ledger.records(of: claims.map(\.reference.source)).mapValues(\.identifier)
    return zip(claims, rivals).filter { claim, rivals in
      unclear.isDisjoint(with: rivals + [names[claim.reference.source]].compactMap(\.self))
    }.map(\.0)
  }

  /// The records of those who have what others wait for.
  func claimHolders() async throws -> [RecordIdentifier] {
    let claims = try ledger.claims()
    return claims.isEmpty ? [] : try await rivals(of: claims).flatMap(\.self)
  }

  /// The records of those who have what others wait for, by claim.
  private func rivals(of claims: [OpenClaim]) async throws -> [[RecordIdentifier]] {
    try await site.withContext { [site] context in
      let reader = ObjectReader(site: site, context: context)
      let sources = try reader.objects(claims.map(\.reference.source))
      let targets = try reader.objects(claims.map(\.target))
      return try claims.map { claim in
        guard let source = sources[claim.reference.source], let target = targets[claim.target],
          let reference = site.reference(claim)
        else { return [] }
        return try reference.rivals(of: source, for: target, named: site.record(of:)).map(\.record)
      }
    }
  }
}

extension MirrorSite {
  /// The name of a relationship that waits.
  fileprivate func property(of reference: ParkedReference) -> String {
    layouts[reference.source.layoutIndex].properties[reference.ordinal].name
  }

  /// What a claim is about.
  fileprivate func reference(_ claim: OpenClaim) -> MirrorReference? {
    let entity = layouts[claim.reference.source.layoutIndex].entity.name ?? ""
    return schema[entity]?.reference(property(of: claim.reference))
  }

  /// The record of an object that was saved.
  fileprivate func record(of object: NSManagedObject) throws -> RecordIdentifier? {
    let key = object.objectID.rowKey
    return try ledger.records(of: [key])[key]?.identifier
  }
}

extension RecordIdentifier? {
  /// Whether a name comes first; one that is not known comes last.
  fileprivate func precedes(_ other: RecordIdentifier?) -> Bool {
    guard let self, let other else { return self != nil && other == nil }
    return self < other
  }
}
