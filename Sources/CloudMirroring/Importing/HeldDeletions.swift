import CloudKitClient
import CloudRecords
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows

/// Deletions that cascade, and those of unique objects, wait for the end of a feed of several
/// parts.
///
/// A feed names each record once, at its last change: a child that moved away before its parent was
/// deleted may arrive later. Until then a delete rule would remove it everywhere. The winner of a
/// duplicate may arrive later, too. An interrupted import reads the held part again.
///
/// Records that absorbed unknown duplicates wait as well (`Importer+Successors`). Deletions of
/// losers follow them.
struct HeldDeletions: Sendable {
  private(set) var names: [CKRecord.ID] = []
  /// Whether records wait that stand for others: they come before what is held.
  var awaitsSuccessors = false
  /// Whether all deletions wait until other zones were read: a record may have moved there.
  var holdsAll = false

  var isEmpty: Bool { names.isEmpty }
  var count: Int { names.count }

  /// Takes deletions out of a page.
  ///
  /// - Parameter concernsOthers: Whether the object of a record may cascade, or be a duplicate.
  mutating func hold(_ received: inout ImportPage, where concernsOthers: (CKRecord.ID) -> Bool) {
    let taken = received.deleted.filter(concernsOthers)
    guard !taken.isEmpty else { return }
    let set = Set(taken)
    names += taken
    received = received.saying(
      received.records, deleted: received.deleted.filter { !set.contains($0) })
  }

  /// Forgets records that were made again under the same names.
  mutating func forget(_ received: ImportPage) {
    guard !isEmpty else { return }
    let present = Set(received.records.map(\.recordID))
    names.removeAll(where: present.contains)
  }

  /// Tells what was held.
  mutating func release(into received: inout ImportPage) {
    received.add([], deleted: names)
    names = []
  }

  /// Tells what was held in a page that comes behind the records that wait, with the place of the
  /// feed.
  mutating func releaseBehind(_ zoneTokens: [RecordZoneIdentifier: [UInt8]?], asked: LedgerMoment?)
    -> ImportPage
  {
    var page = ImportPage()
    page.asked = asked
    release(into: &page)
    page.zoneTokens = zoneTokens
    return page
  }
}

extension Importer {
  /// Holds deletions until the end of a feed, or releases them.
  ///
  /// - Parameter zoneTokens: The position after the page, which is recorded once nothing is held.
  /// - Returns: The page to apply after the deferred successors, if there are any.
  func hold(
    _ received: inout ImportPage, _ held: inout HeldDeletions, isLast: Bool,
    _ zoneTokens: [RecordZoneIdentifier: [UInt8]?]
  ) throws -> ImportPage? {
    held.forget(received)
    if !isLast, try holdSuccessors(&received) { held.awaitsSuccessors = true }
    let isReleased =
      (isLast && !held.holdsAll) || held.count > (seam?.heldDeletions ?? MirrorLimits.heldDeletions)
    if isReleased, !held.awaitsSuccessors {
      held.release(into: &received)
    } else {
      try holdDeletions(&received, &held)
    }
    if isReleased, !held.isEmpty {
      held.awaitsSuccessors = false
      return held.releaseBehind(zoneTokens, asked: received.asked)
    }
    if held.isEmpty { received.zoneTokens.merge(zoneTokens) { $1 } }
    return nil
  }

  private func holdDeletions(_ received: inout ImportPage, _ held: inout HeldDeletions) throws {
    guard !received.deleted.isEmpty else { return }
    let rows = try ledger.subjects(of: received.deleted.map { RecordIdentifier($0) })
    let holdsAll = held.holdsAll
    held.hold(&received) { name in
      guard let row = rows[RecordIdentifier(name)] else { return false }
      return holdsAll || row.subject.object.map(site.concernsOthers) ?? false
    }
  }
}

extension RowLayout {
  /// Whether a rule of the model deletes other objects with one of the entity.
  var deletesOthers: Bool {
    properties.contains { ($0 as? NSRelationshipDescription)?.deleteRule == .cascadeDeleteRule }
  }
}
