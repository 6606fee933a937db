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
///     end of the feed ──▶ the target was let go meanwhile: who waits gets it
///                     └─▶ else who waits loses it, which is sent
///
/// So a target that goes from one to the other is not lost where a feed tells of both in several parts.
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
    if others < own { return true }
    let key = holder.objectID.rowKey
    if let ordinal = site.layouts[key.layoutIndex].ordinal(of: reference.property) {
      changes.hooked[key, default: OrdinalSet()].insert(ordinal)
    }
    return false
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

extension MirrorEngine {
  /// Gives what was let go meanwhile to who waits for it, and takes it from who waits for what another one has.
  ///
  /// It is called at the end of a feed, when all that was let go is known.
  func settleClaims() async throws {
    let claims = try openClaims
    guard !claims.isEmpty else { return }
    let isFree = try await site.withContext(author: MirrorNames.importAuthor) { [site] context in
      let sources = try ObjectReader(site: site, context: context).objects(claims.map(\.reference.source))
      let targets = try ObjectReader(site: site, context: context).objects(claims.map(\.target))
      var changes = LedgerChanges()
      context.savesUnvalidated = true
      for claim in claims {
        let property = site.layouts[claim.reference.source.layoutIndex].properties[claim.reference.ordinal].name
        guard let source = sources[claim.reference.source], let target = targets[claim.target],
          let inverse = site.schema[source.entity.name ?? ""]?.reference(property)?.inverse,
          target.objectIDs(forRelationshipNamed: inverse).isEmpty,
          source.objectIDs(forRelationshipNamed: property).isEmpty
        else { continue }
        changes.unparked.append(claim.reference)
        source.willChangeValue(forKey: property)
        source.setPrimitiveValue(target, forKey: property)
        source.didChangeValue(forKey: property)
        context.processPendingChanges()
      }
      if !changes.unparked.isEmpty { try site.ledger.importing(changes) { try context.save() } }
      return Set(changes.unparked)
    }
    try ledger.send(claims.map(\.reference).filter { !isFree.contains($0) })
  }

  /// Who waits for what another one has.
  var openClaims: [(reference: ParkedReference, target: RowKey)] {
    get throws { try ledger.claims().filter { isClaim($0.reference) } }
  }

  private func isClaim(_ reference: ParkedReference) -> Bool {
    let layout = site.layouts[reference.source.layoutIndex]
    let property = layout.properties[reference.ordinal].name
    return site.schema[layout.entity.name ?? ""]?.reference(property)?.isOneToOne ?? false
  }
}

extension Ledger {
  /// References that wait, although their targets are here: others have these.
  func claims() throws -> [(reference: ParkedReference, target: RowKey)] {
    try read { connection in
      guard try connection.number(OutboxFolding.anyParked) != nil else { return [] }
      let zones = try connection.zones()
      var found: [(reference: ParkedReference, target: RowKey)] = []
      var statement = try connection.prepare(
        "SELECT p.entity, p.key, p.property, p.zone, p.name, o.entity, o.key FROM PHM_PARKED p "
          + "JOIN PHM_OBJECT o ON o.zone = p.zone AND o.name = p.name WHERE o.pending IS NOT 2 "
          + "ORDER BY p.name, p.entity, p.key, p.property")
      while try statement.step() {
        guard let layout = names.layoutIndex(statement.row.int64(at: 0)),
          let ordinal = names.ordinal(ofBit: Int(statement.row.int64(at: 2)), Int(layout)),
          let zone = zones[statement.row.int64(at: 3)], let name = RecordName(statement.row, at: 4),
          let targetLayout = names.layoutIndex(statement.row.int64(at: 5))
        else { continue }
        let reference = ParkedReference(
          source: RowKey(key: statement.row.int64(at: 1), layoutIndex: layout), ordinal: ordinal,
          target: RecordIdentifier(recordName: name.text, zone: zone))
        found.append((reference, RowKey(key: statement.row.int64(at: 6), layoutIndex: targetLayout)))
      }
      return found
    }
  }

  /// Lets references that have waited be sent as they are, and wait no more.
  func send(_ references: [ParkedReference]) throws {
    guard !references.isEmpty else { return }
    try write { connection in
      try recorder.catchUp(with: store, on: connection)
      var folding = recorder.makeFolding(on: connection)
      let group = try connection.noted()
      for reference in references {
        try folding.update(reference.source, OrdinalSet([reference.ordinal]), group: group)
      }
    }
  }
}
