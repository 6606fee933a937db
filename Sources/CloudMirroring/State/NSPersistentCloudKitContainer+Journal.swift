import CloudRecords
public import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
public import ObjectRows

extension NSPersistentCloudKitContainer {
  // Sendable: immutable, and its value is one that records can hold.
  /// A value that a conflict overwrote, or a changed object that a remote deletion removed.
  ///
  /// Parhelion's addition.
  public struct Conflict: @unchecked Sendable {
    /// The date at which the conflict was resolved.
    public let date: Date
    /// The object that the conflict concerns.
    public let objectID: NSManagedObjectID
    /// The property that the conflict concerns, or nil if the whole object was deleted.
    public let property: String?
    /// Whether the local value won.
    public let keptLocal: Bool
    /// The user record name of the author of the remote value, if it is known.
    public let author: String?
    /// Whether the conflict was undone.
    public let isUndone: Bool
    /// The overwritten value; nil if there was none, or if the whole object was deleted.
    ///
    /// For a relationship, the value is an object identifier or an ordered array of them. Objects
    /// that no longer exist are left out.
    public var overwrittenValue: Any? { property.flatMap { overwrittenValues[$0] } }
    /// The overwritten values by property.
    ///
    /// For a deletion, all values of the object.
    public let overwrittenValues: [String: Any]
    /// The winner, if this conflict merged two objects with one unique value; otherwise nil.
    ///
    /// References to the loser now lead to the winner. The loser's values exist only in this
    /// conflict.
    public let winnerID: NSManagedObjectID?

    let number: Int64
    let storeIdentifier: String
  }

  /// Returns the conflicts of all stores, newest first.
  ///
  /// Parhelion's addition.
  public func conflicts(limit: Int = 100) throws -> [Conflict] {
    let all = try mirroring.engines.flatMap { engine in
      try throwingPublicErrors { try engine.ledger.journal(limit: limit) }.map {
        engine.conflict($0)
      }
    }
    return Array(all.sorted { ($0.date, $0.number) > ($1.date, $1.number) }.prefix(limit))
  }

  /// Restores what a conflict overwrote, and saves it like any other change.
  ///
  /// Parhelion's addition. A deleted object is inserted as a new object with the same values and
  /// references. References from other objects to it are not restored.
  ///
  /// - Throws: A `SyncBlocker` with the code `cannotUndo` if the object or a related object no
  ///   longer exists, if the conflict merged two objects, or if the object was restored already;
  ///   `storeRemoved` if the store is not mirrored any more; otherwise the error of the save.
  public func undo(_ conflict: Conflict) throws {
    guard
      let engine = mirroring.engines.first(where: {
        $0.mirror.storeIdentifier == conflict.storeIdentifier
      })
    else {
      throw SyncBlocker(
        MirrorError(.storeRemoved, "The store of the conflict is not mirrored any more."))
    }
    try throwingPublicErrors { try engine.undo(conflict) }
  }
}

extension MirrorEngine {
  fileprivate func conflict(_ entry: JournalEntry) -> NSPersistentCloudKitContainer.Conflict {
    let kept = entry.property.isEmpty ? entry.kept.flatMap(JournalValue.content) : nil
    return NSPersistentCloudKitContainer.Conflict(
      date: entry.date, objectID: mirror.objectID(entry.object),
      property: entry.property.isEmpty ? nil : entry.property,
      keptLocal: entry.keptIsOurs, author: entry.author, isUndone: entry.isUndone,
      overwrittenValues: overwrittenValues(entry),
      winnerID: kept.flatMap { objectIDs(of: [$0.recordName]).first },
      number: entry.number, storeIdentifier: mirror.storeIdentifier)
  }

  private func overwrittenValues(_ entry: JournalEntry) -> [String: Any] {
    guard let content = entry.overwritten.flatMap(JournalValue.content),
      let entity = mirror.schema[content.entity]
    else { return [:] }
    var values: [String: Any] = [:]
    for property in entity.attributeProperties {
      // Values that this version of the program cannot read are skipped.
      if let value = try? entity.objectValue(of: property, in: content) { values[property] = value }
    }
    for (property, name) in content.references { values[property] = objectIDs(of: [name]).first }
    for (property, names) in content.orders { values[property] = objectIDs(of: names) }
    return entry.property.isEmpty ? values : values.filter { $0.key == entry.property }
  }

  /// Returns the identifiers of the objects that exist here.
  private func objectIDs(of names: [String]) -> [NSManagedObjectID] {
    let identifiers = names.map { RecordIdentifier(recordName: $0, zone: mirror.homeZone) }
    // An unreadable store is reported by the next read.
    let subjects = (try? ledger.sharedZones.subjectsAnywhere(of: identifiers)) ?? [:]
    return identifiers.compactMap { subjects[$0]?.subject.object }.map(mirror.objectID)
  }

  fileprivate func undo(_ conflict: NSPersistentCloudKitContainer.Conflict) throws {
    let entries = try ledger.journal(before: conflict.number + 1, limit: 1)
    guard let entry = entries.first, entry.number == conflict.number,
      let content = entry.overwritten.flatMap(JournalValue.content),
      let entity = mirror.schema[content.entity]
    else { throw MirrorError.cannotUndo("the overwritten values can no longer be read") }
    guard !entry.property.isEmpty || (entry.kept == nil && !entry.isUndone) else {
      throw MirrorError.cannotUndo(
        entry.isUndone
          ? "the object was already restored"
          : "the object was replaced by another: see winnerID")
    }
    try mirror.withContextAndWait { [mirror] context in
      let restoring = Restoring(mirror: mirror, context: context, content: content, entity: entity)
      if entry.property.isEmpty {
        try restoring.makeAgain()
      } else {
        try restoring.putBack(entry.property, into: try restoring.object(conflict.objectID))
      }
      try context.save()
    }
    try ledger.setUndone(true, conflict.number)
  }
}

extension MirrorError {
  /// Returns the public error of a conflict that cannot be undone.
  static func cannotUndo(_ reason: String) -> NSPersistentCloudKitContainer.SyncBlocker {
    NSPersistentCloudKitContainer.SyncBlocker(
      MirrorError(.cannotUndo, "The conflict cannot be undone: \(reason)."))
  }
}
