import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import SQLiteDriver

/// One-to-one relationships that devices set to different objects, not knowing of each other.
///
/// Both sides of such a relationship are in records; one of them decides (`MirrorReference.decides`), and what the other says is passed over. Two
/// objects may still claim the same target. The one with the smaller record name has it, on every device:
///
///     import finds that another one has the target ─┬─ who comes has the smaller name ──▶ gets it; the other one's loss is sent
///                                                   └─ else ──▶ waits, as for a target that has not come
///     end of the feed ──▶ the target was let go meanwhile, or has gone to one with a larger name: of those who wait the one with the
///                     │   smallest name gets it
///                     ├─▶ the record of who has it, or of who waits, cannot be read by anybody: waits on
///                     └─▶ else who waits loses it, which is sent
///
/// So a target that goes from one to the other is not lost where a feed tells of both in several parts. What somebody loses is in the journal.
extension MirrorImport {
  /// Whether an object has to leave a target to the one that has it; else that one loses it.
  func yields(_ object: NSManagedObject, _ property: String, _ target: NSManagedObject) throws -> Bool {
    guard let reference = site.schema[object.entity.name ?? ""]?.reference(property), reference.isOneToOne,
      target.entity.relationshipsByName[reference.inverse] != nil,
      let holderID = target.objectIDs(forRelationshipNamed: reference.inverse).first, holderID != object.objectID
    else { return false }
    let holder = context.object(with: holderID)
    guard !holder.isDeleted, let (own, others) = try names(object, holder), !gone.contains(others),
      try claims(holder, reference.property, target)
    else { return false }
    // What a record says that nobody can read is not known: it may have let the target go, or have claimed it anew.
    if try others < own || isSetAside(others) { return true }
    try lose(reference.property, of: holder, others, target)
    return false
  }

  /// Takes a target from the one that has it: that is sent.
  private func lose(
    _ property: String, of holder: NSManagedObject, _ record: RecordIdentifier, _ target: NSManagedObject
  ) throws {
    guard let name = try name(of: target)?.recordName else { return }
    changes.lose(property, of: holder, record, target: name, site)
  }

  private func isSetAside(_ record: RecordIdentifier) throws -> Bool {
    if page.unreadable[record.recordID] != nil { return true }
    // What the page tells can be read.
    return try page.state[.unreadable(record.recordID)] == nil && site.ledger.isUnreadable(record)
  }

  /// Whether an object still claims what it has: a record of the page may say that it does no more.
  private func claims(_ holder: NSManagedObject, _ property: String, _ target: NSManagedObject) throws -> Bool {
    let told = relations.first { $0.object === holder && $0.properties.contains(property) }
    guard let told else { return true }
    return try told.content.references[property] == name(of: target)?.recordName
  }

  private func names(
    _ one: NSManagedObject, _ other: NSManagedObject
  ) throws -> (RecordIdentifier, RecordIdentifier)? {
    guard let first = try name(of: one), let second = try name(of: other) else { return nil }
    return (first, second)
  }

  private func name(of object: NSManagedObject) throws -> RecordIdentifier? {
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
      entity: entity, recordName: record.recordName, property: property, kept: nothing, overwritten: lost,
      winner: winner)
  }
}

extension LedgerChanges {
  /// Notes that an object loses a target to one with a smaller name: that is sent, and is in the journal.
  fileprivate mutating func lose(
    _ property: String, of holder: NSManagedObject, _ record: RecordIdentifier, target: String, _ site: MirrorSite
  ) {
    let key = holder.objectID.rowKey
    guard let ordinal = site.layouts[key.layoutIndex].ordinal(of: property), let entity = holder.entity.name else {
      return
    }
    hooked[key, default: OrdinalSet()].insert(ordinal)
    let claim = LostClaim(entity: entity, record: record, property: property, target: target)
    journal.append(JournalEntry(claim.entry(.server), key, at: site.now))
  }
}

/// A reference that waits for what another one has.
struct OpenClaim: Sendable {
  let reference: ParkedReference
  let target: RowKey
}

extension MirrorEngine {
  /// Gives what was let go meanwhile to who waits for it, and takes it from who waits for what another one has.
  ///
  /// It is called at the end of a feed, when all that was let go is known.
  func settleClaims() async throws {
    let claims = try await openClaims()
    guard !claims.isEmpty else { return }
    let given = try await savingAgain { try await give(claims) }
    let lost = claims.map(\.reference).filter { !given.contains($0) }
    try ledger.send(lost, journal: try entries(of: lost))
  }

  /// Gives what nobody has, or who has a larger name, to who waits for it, in the order of their names, which all devices share.
  private func give(_ claims: [OpenClaim]) async throws -> Set<ParkedReference> {
    try await site.withContext(author: MirrorNames.importAuthor) { [site] context in
      let reader = ObjectReader(site: site, context: context)
      let sources = try reader.objects(claims.map(\.reference.source))
      let targets = try reader.objects(claims.map(\.target))
      let names = try site.ledger.records(of: claims.map(\.reference.source)).mapValues(\.identifier)
      var changes = LedgerChanges()
      context.savesUnvalidated = true
      for claim in claims.sorted(by: { names[$0.reference.source].precedes(names[$1.reference.source]) }) {
        let property = site.property(of: claim.reference)
        guard let source = sources[claim.reference.source], let target = targets[claim.target],
          let inverse = site.schema[source.entity.name ?? ""]?.reference(property)?.inverse,
          source.objectIDs(forRelationshipNamed: property).isEmpty
        else { continue }
        if let holderID = target.objectIDs(forRelationshipNamed: inverse).first {
          let holder = context.object(with: holderID)
          let record = try site.ledger.records(of: [holderID.rowKey])[holderID.rowKey]?.identifier
          guard let record, names[claim.reference.source].precedes(record) else { continue }
          changes.lose(property, of: holder, record, target: claim.reference.target.recordName, site)
        }
        changes.unparked.append(claim.reference)
        source.willChangeValue(forKey: property)
        source.setPrimitiveValue(target, forKey: property)
        source.didChangeValue(forKey: property)
        context.processPendingChanges()
      }
      if !changes.unparked.isEmpty { try site.ledger.importing(changes) { try context.save() } }
      return Set(changes.unparked)
    }
  }

  private func entries(of lost: [ParkedReference]) throws -> [JournalEntry] {
    let names = try ledger.records(of: lost.map(\.source)).mapValues(\.identifier)
    return lost.compactMap { reference in
      guard let record = names[reference.source], let entity = site.layouts[reference.source.layoutIndex].entity.name
      else { return nil }
      let claim = LostClaim(
        entity: entity, record: record, property: site.property(of: reference), target: reference.target.recordName)
      return JournalEntry(claim.entry(.local), reference.source, at: site.now)
    }
  }

  /// Who waits for what another one has, but for those of whom nobody knows what they claim by now: their records, or those of who has it, cannot be read, or
  /// others alone were told of them.
  func openClaims() async throws -> [OpenClaim] {
    let claims = try ledger.claims()
    guard !claims.isEmpty else { return [] }
    let setAside = Set(try ledger.unreadable().keys.map { RecordIdentifier($0) })
    guard !setAside.isEmpty || site.scope == .public else { return claims }
    let holders = try await holders(of: claims)
    let unclear = setAside.union(try unknowable(Array(holders.values)))
    let names = try ledger.records(of: claims.map(\.reference.source)).mapValues(\.identifier)
    return claims.filter { claim in
      let concerned = [holders[claim.target], names[claim.reference.source]].compactMap(\.self)
      return unclear.isDisjoint(with: concerned)
    }
  }

  /// The records of those who have what others wait for.
  func claimHolders() async throws -> [RecordIdentifier] {
    let claims = try ledger.claims()
    return claims.isEmpty ? [] : Array(try await holders(of: claims).values)
  }

  /// The records of those who have targets, by target.
  private func holders(of claims: [OpenClaim]) async throws -> [RowKey: RecordIdentifier] {
    try await site.withContext { [site] context in
      let targets = try ObjectReader(site: site, context: context).objects(claims.map(\.target))
      var holders: [RowKey: RowKey] = [:]
      for claim in claims {
        let entity = site.layouts[claim.reference.source.layoutIndex].entity.name ?? ""
        guard let inverse = site.schema[entity]?.reference(site.property(of: claim.reference))?.inverse,
          let target = targets[claim.target], target.entity.relationshipsByName[inverse] != nil
        else { continue }
        holders[claim.target] = target.objectIDs(forRelationshipNamed: inverse).first?.rowKey
      }
      let names = try site.ledger.records(of: Array(holders.values)).mapValues(\.identifier)
      return holders.compactMapValues { names[$0] }
    }
  }
}

extension MirrorSite {
  /// The name of a relationship that waits.
  fileprivate func property(of reference: ParkedReference) -> String {
    layouts[reference.source.layoutIndex].properties[reference.ordinal].name
  }
}

extension RecordIdentifier? {
  /// Whether a name comes first; one that is not known comes last.
  fileprivate func precedes(_ other: RecordIdentifier?) -> Bool {
    guard let self, let other else { return self != nil && other == nil }
    return self < other
  }
}
