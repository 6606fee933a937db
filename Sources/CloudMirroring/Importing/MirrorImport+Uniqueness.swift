import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteDriver
import Synchronization

/// Values that must be unique and are not.
extension MirrorImport {
  /// Takes the unique values from those who go, and notes who they are in the import's own save.
  func separate() throws {
    changes.merges = try merges.adding(replaced).map(takeValues)
  }

  /// The merge of an object whose record is gone, if a winner is deferred, or in the page, or
  /// known.
  ///
  /// Its local relationships, which the deleting device may not know, move to the winner.
  func merge(of gone: RecordIdentifier) throws -> DuplicateMerge? {
    guard let object = objects[gone], let entity = site.schema[object.entity.name ?? ""],
      !entity.constraints.isEmpty
    else { return nil }
    let unsent = mergedDuplicates[gone, default: []].unsent
    var merge = try noted(gone.recordName)
    for constraint in entity.constraints where merge == nil {
      guard let values = UniqueValues(of: object, constraint), let heir = newcomers[values],
        heir < gone.recordName
      else { continue }
      merge = DuplicateMerge(
        winner: heir, loser: gone.recordName, constraint: constraint.attributes)
    }
    // It may have other values by now than those for which another one stands for it.
    if merge == nil, let heir = try heir(of: gone) {
      merge = DuplicateMerge(
        winner: heir.recordName, loser: gone.recordName,
        constraint: entity.constraints[0].attributes)
    }
    // The deleting device cannot know what it absorbed.
    if merge == nil, let first = unsent.first {
      merge = DuplicateMerge(
        winner: first.loser, loser: gone.recordName, constraint: first.constraint)
    }
    merge?.isGone = true
    merge?.absorbedUnsent = !unsent.isEmpty
    return merge
  }

  /// The record that stands for another one, as the page says or is known, and that is there.
  private func heir(of gone: RecordIdentifier) throws -> RecordIdentifier? {
    let telling = changes.mergedDuplicates.filter { $0.loser == gone.recordName }.map(\.winner)
    let heirs = try telling + site.ledger.winners(of: gone)
    let rows = try site.ledger.subjects(of: heirs)
    return heirs.first { heir in
      guard heir != gone, !self.gone.contains(heir) else { return false }
      return telling.contains(heir) || rows[heir].map { $0.pending != .deletion } ?? false
    }
  }

  /// The merge of a name that is noted already.
  private func noted(_ name: String) throws -> DuplicateMerge? {
    if knownMerges == nil {
      let all = try (merges + site.ledger.merges()).map { ($0.loser, $0) }
      knownMerges = Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
    return knownMerges?[name]
  }

  /// The smallest record names of received objects, by unique values.
  func findNewcomers() -> [UniqueValues: String] {
    var found: [UniqueValues: String] = [:]
    for received in received {
      guard let object = objects[received.identifier], !gone.contains(received.identifier) else {
        continue
      }
      for constraint in site.schema[object.entity.name ?? ""]?.constraints ?? [] {
        guard let values = UniqueValues(of: object, constraint) else { continue }
        found[values] = min(
          found[values] ?? received.identifier.recordName, received.identifier.recordName)
      }
    }
    return found
  }

  /// Removes the unique values of a loser, and records them.
  private func takeValues(_ merge: DuplicateMerge) throws -> DuplicateMerge {
    guard let object = try StrayRecords(owner: self).object(named: merge.loser) else {
      return merge
    }
    var merge = merge
    merge.taken = object.mirroredValues(of: merge.constraint)
    for attribute in merge.constraint { object.replaceValue(of: attribute, by: nil) }
    return merge
  }

  /// Who has to go, of a save that failed.
  func collision(_ error: NSError) throws -> UniquenessCollision? {
    guard error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectConstraintMergeError,
      let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
        as? [NSConstraintConflict]
    else { return nil }
    let found = try conflicts.flatMap { try merges(of: $0) }
    return found.allSatisfy(merges.contains)
      ? nil : UniquenessCollision(merges: merges + found)
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
      objects.map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    let rows = try site.ledger.records(of: colliding.map(\.objectID.rowKey))
    return colliding.compactMap { object in
      (here[ObjectIdentifier(object)] ?? rows[object.objectID.rowKey]?.identifier)?.recordName
    }
  }
}

/// What an object has in attributes that must be unique together.
struct UniqueValues: Hashable {
  private let constraint: MirrorConstraint
  private let values: [MirrorValue]

  /// Nil if a value is null, which equals no other.
  init?(of object: NSManagedObject, _ constraint: MirrorConstraint) {
    let noted = object.mirroredValues(of: constraint.attributes)
    let values = constraint.attributes.map { noted[$0] ?? .null }
    guard !values.contains(.null) else { return nil }
    (self.constraint, self.values) = (constraint, values)
  }
}

extension Importer {
  /// The merges to do: those whose winner may be gone without notice are left open.
  func openMerges() throws -> [DuplicateMerge] {
    let merges = try ledger.merges()
    let unknowable = try readers.unknowable(merges.map(winner))
    return try merges.filter { !unknowable.contains(try winner($0)) }
  }

  /// The record of who is to stay.
  func winner(_ merge: DuplicateMerge) throws -> RecordIdentifier {
    try ledger.sharedZones.record(named: merge.winner)
  }

  /// Carries the relationships of those who go over to those who stay, and deletes them, in a save
  /// that is sent like any other.
  ///
  /// It is called at the end of a feed, when all that refers to those who go has come. What must be
  /// valid was so elsewhere, as in imports.
  func settleMerges() async throws {
    try await bringBack()
    let merges = try openMerges()
    guard !merges.isEmpty else { return }
    let noted = Mutex<Set<RowKey>>([])
    try await savingAgain { [site, seam] in
      try await site.withContext { context in
        context.savesUnvalidated = true
        let save = DuplicateMerger(site: site, context: context)
        // First: an entry that a crash leaves twice is better than none, and so is a announce. A
        // former attempt has noted some.
        let entries = try merges.compactMap(save.merge)
        try site.ledger.note(
          entries.filter { entry in noted.withLock { $0.insert(entry.object).inserted } })
        if seam?.announcesMerges ?? true { try site.ledger.announce(save.announcements) }
        try context.save()
      }
    }
    try ledger.settle(merges)
  }
}

/// A save of an import met values that must be unique.
struct UniquenessCollision: Error {
  let merges: [DuplicateMerge]
}
