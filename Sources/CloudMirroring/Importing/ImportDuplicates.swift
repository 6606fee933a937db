import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// The duplicates that an import encounters: objects with the unique values of others.
final class ImportDuplicates {
  private unowned let owner: MirrorImport
  /// The merges that an earlier attempt found.
  private let earlier: [DuplicateMerge]
  /// The merges of deleted objects.
  private var ofDeleted: [DuplicateMerge] = []
  /// The smallest record names of received objects, by unique values.
  private lazy var newcomers = findNewcomers()
  /// The merges of earlier imports, by the losers' names.
  private var deferred: [String: DuplicateMerge]?

  private var mirror: MirrorStore { owner.mirror }

  init(owner: MirrorImport, earlier: [DuplicateMerge]) {
    (self.owner, self.earlier) = (owner, earlier)
  }

  /// Removes the losers' unique values, and records the merges in the import's save.
  func separate() throws {
    owner.changes.merges = try earlier.adding(ofDeleted).map(takeValues)
  }

  /// Merges an object whose record is gone into its winner, if there is one.
  ///
  /// - Returns: Whether there is one.
  func replace(_ gone: RecordIdentifier) throws -> Bool {
    guard let merge = try merge(of: gone) else { return false }
    ofDeleted.append(merge)
    return true
  }

  /// Returns the merge of an object whose record is gone, if there is a winner.
  ///
  /// The winner is deferred, in the page, or known. The object's local relationships, which the
  /// deleting device may not know, move to the winner.
  private func merge(of gone: RecordIdentifier) throws -> DuplicateMerge? {
    guard let object = owner.objects[gone], let entity = mirror.schema[object.entity.name ?? ""],
      !entity.constraints.isEmpty
    else { return nil }
    let unsent = owner.mergedDuplicates[gone, default: []].unsent
    var merge = try noted(gone.recordName)
    for constraint in entity.constraints where merge == nil {
      guard let values = UniqueValues(of: object, constraint), let heir = newcomers[values],
        heir < gone.recordName
      else { continue }
      merge = DuplicateMerge(
        winner: heir, loser: gone.recordName, constraint: constraint.attributes)
    }
    // The values may have changed since another record absorbed this one.
    if merge == nil, let heir = try heir(of: gone) {
      merge = DuplicateMerge(
        winner: heir.recordName, loser: gone.recordName,
        constraint: entity.constraints[0].attributes)
    }
    // The deleting device cannot know what this record absorbed.
    if merge == nil, let first = unsent.first {
      merge = DuplicateMerge(
        winner: first.loser, loser: gone.recordName, constraint: first.constraint)
    }
    merge?.isGone = true
    merge?.absorbedUnsent = !unsent.isEmpty
    return merge
  }

  /// Returns the existing record that absorbed another one, from the page or the ledger.
  private func heir(of gone: RecordIdentifier) throws -> RecordIdentifier? {
    let telling = owner.changes.mergedDuplicates.filter { $0.loser == gone.recordName }.map(
      \.winner)
    let heirs = try telling + mirror.ledger.winners(of: gone)
    let rows = try mirror.ledger.subjects(of: heirs)
    return heirs.first { heir in
      guard heir != gone, !owner.gone.contains(heir) else { return false }
      return telling.contains(heir) || rows[heir].map { $0.pending != .deletion } ?? false
    }
  }

  /// Returns the deferred merge of a loser.
  private func noted(_ name: String) throws -> DuplicateMerge? {
    if deferred == nil {
      let all = try (earlier + mirror.ledger.merges()).map { ($0.loser, $0) }
      deferred = Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
    return deferred?[name]
  }

  private func findNewcomers() -> [UniqueValues: String] {
    var found: [UniqueValues: String] = [:]
    for received in owner.received {
      guard let object = owner.objects[received.identifier],
        !owner.gone.contains(received.identifier)
      else { continue }
      for constraint in mirror.schema[object.entity.name ?? ""]?.constraints ?? [] {
        guard let values = UniqueValues(of: object, constraint) else { continue }
        found[values] = min(
          found[values] ?? received.identifier.recordName, received.identifier.recordName)
      }
    }
    return found
  }

  /// Removes the unique values of a loser, and records them.
  private func takeValues(_ merge: DuplicateMerge) throws -> DuplicateMerge {
    guard let object = try StrayRecords(owner: owner).object(named: merge.loser) else {
      return merge
    }
    var merge = merge
    merge.taken = object.mirroredValues(of: merge.constraint)
    for attribute in merge.constraint { object.replaceValue(of: attribute, by: nil) }
    return merge
  }

  /// Returns the merges that resolve the error of a save; nil for another error.
  func collision(_ error: NSError) throws -> UniquenessCollision? {
    guard error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectConstraintMergeError,
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
        as? [NSConstraintConflict]
    else { return nil }
    let found = try conflicts.flatMap { try merges(of: $0) }
    return found.allSatisfy(earlier.contains)
      ? nil : UniquenessCollision(merges: earlier + found)
  }

  private func merges(of conflict: NSConstraintConflict) throws -> [DuplicateMerge] {
    let colliding = conflict.conflictingObjects + (conflict.databaseObject.map { [$0] } ?? [])
    let names = try recordNames(of: colliding).sorted()
    guard let winner = names.first else { return [] }
    return names.dropFirst().map {
      DuplicateMerge(winner: winner, loser: $0, constraint: conflict.constraint)
    }
  }

  private func recordNames(of colliding: [NSManagedObject]) throws -> [String] {
    let here = Dictionary(
      owner.objects.map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    let rows = try mirror.ledger.records(of: colliding.map(\.objectID.rowKey))
    return colliding.compactMap { object in
      (here[ObjectIdentifier(object)] ?? rows[object.objectID.rowKey]?.identifier)?.recordName
    }
  }
}

/// An object's values in a uniqueness constraint.
struct UniqueValues: Hashable {
  private let constraint: MirrorConstraint
  private let values: [MirrorValue]

  /// Creates the values; nil if one is null, which equals no other.
  init?(of object: NSManagedObject, _ constraint: MirrorConstraint) {
    let noted = object.mirroredValues(of: constraint.attributes)
    let values = constraint.attributes.map { noted[$0] ?? .null }
    guard !values.contains(.null) else { return nil }
    (self.constraint, self.values) = (constraint, values)
  }
}

extension Importer {
  /// Returns the deferred merges, except those whose winner may be gone without being reported.
  func openMerges() throws -> [DuplicateMerge] {
    let merges = try ledger.merges()
    let unverifiable = try readers.unverifiable(merges.map(winner))
    return try merges.filter { !unverifiable.contains(try winner($0)) }
  }

  /// Returns the record of the winner.
  func winner(_ merge: DuplicateMerge) throws -> RecordIdentifier {
    try ledger.sharedZones.record(named: merge.winner)
  }

  /// Moves the losers' relationships to the winners, and deletes the losers.
  ///
  /// It runs at the end of a feed, when all references to the losers have arrived. The save is sent
  /// like any other. Like an import, it is not validated: the values were valid elsewhere.
  func settleMerges() async throws {
    try await bringBack()
    let merges = try openMerges()
    guard !merges.isEmpty else { return }
    let noted = Mutex<Set<RowKey>>([])
    try await retryingSaveConflicts { [mirror] in
      try await mirror.withContext { context in
        context.savesUnvalidated = true
        let save = DuplicateMerger(mirror: mirror, context: context)
        // The journal comes first: after a crash, a repeated entry or announcement is better than
        // none. An earlier attempt may have recorded some.
        let entries = try merges.compactMap(save.merge)
        try mirror.ledger.note(
          entries.filter { entry in noted.withLock { $0.insert(entry.object).inserted } })
        try mirror.ledger.announce(save.announcements)
        try context.save()
      }
    }
    try ledger.settle(merges)
  }
}

/// An import's save failed because of equal unique values.
struct UniquenessCollision: Error {
  let merges: [DuplicateMerge]
}
