import CloudKitClient
import CloudRecords
import ManagedObjectModel
import MirrorLedger
import MirrorModel
import ObjectRows

/// Deletions that wait for the end of a feed in several parts.
///
/// Cascading deletions and those of unique objects wait. A feed reports each record once, at its
/// last change. A child that moved away before its parent was deleted may arrive later; until then,
/// a delete rule would remove it everywhere. The winner of a duplicate may arrive later, too. An
/// interrupted import reads the held part again.
///
/// Records that absorbed unknown duplicates also wait (`Importer+Successors`). Deletions of losers
/// follow them.
struct HeldDeletions: Sendable {
  private(set) var names: [CKRecord.ID] = []
  /// Whether records that absorbed others are deferred; they come before the held deletions.
  var awaitsSuccessors = false
  /// Whether all deletions wait until other zones were read.
  ///
  /// A deleted record may have moved to another zone. Only names are kept.
  var holdsAllDeletions = false

  var isEmpty: Bool { names.isEmpty }
  var count: Int { names.count }

  /// Moves deletions from a page to the held ones.
  ///
  /// - Parameter concernsOthers: Whether the deletion of a record may cascade or belong to a merge.
  mutating func hold(_ received: inout ImportPage, where concernsOthers: (CKRecord.ID) -> Bool) {
    let taken = received.deleted.filter(concernsOthers)
    guard !taken.isEmpty else { return }
    let set = Set(taken)
    names += taken
    received = received.replacing(
      records: received.records, deleted: received.deleted.filter { !set.contains($0) })
  }

  /// Drops deletions of records that were created again under the same names.
  mutating func forget(_ received: ImportPage) {
    guard !isEmpty else { return }
    let present = Set(received.records.map(\.recordID))
    names.removeAll(where: present.contains)
  }

  /// Moves the held deletions to a page.
  mutating func release(into received: inout ImportPage) {
    received.add([], deleted: names)
    names = []
  }

  /// Returns a page with the held deletions and the position, to apply after the deferred records.
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
    // With shares, all wait, however many: otherwise a moved object would be deleted and inserted.
    let isReleased =
      !held.holdsAllDeletions && (isLast || held.count > sizes.heldDeletions)
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
    guard !held.holdsAllDeletions else {
      return held.hold(&received) { $0.recordName != CKRecordNameZoneWideShare }
    }
    let rows = try ledger.subjects(of: received.deleted.map { RecordIdentifier($0) })
    held.hold(&received) { name in
      rows[RecordIdentifier(name)]?.subject.object.map(mirror.concernsOthers) ?? false
    }
  }
}

extension RowLayout {
  /// Whether a delete rule of the entity cascades.
  var deletesOthers: Bool {
    properties.contains { ($0 as? NSRelationshipDescription)?.deleteRule == .cascadeDeleteRule }
  }
}
