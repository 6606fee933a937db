import CloudRecords
public import Foundation
import ManagedObjectModel
import ManagedObjects
public import ObjectRows

extension NSPersistentCloudKitContainer {
  // Sendable: immutable, and its value is one that records hold.
  /// A value that a conflict overwrote, or an object that a deletion took away although it was
  /// changed.
  ///
  /// Parhelion's addition.
  public struct Conflict: @unchecked Sendable {
    /// When it was seen.
    public let date: Date
    /// The object.
    public let objectID: NSManagedObjectID
    /// The property; nil where the whole object was deleted.
    public let property: String?
    /// Whether this device's value stays.
    public let keptLocal: Bool
    /// The name of the record of the user who wrote the value in the cloud, where it is known.
    public let author: String?
    /// Whether it was undone.
    public let isUndone: Bool
    /// The value that was overwritten; nil where there was none, and for a whole object.
    ///
    /// Of a relationship it is the identifier of the object, or an array of those in their order;
    /// those that are not here any more are left out.
    public var overwrittenValue: Any? { property.flatMap { overwrittenValues[$0] } }
    /// All that was lost, by property: of a deletion, what the whole object had.
    public let overwrittenValues: [String: Any]
    /// The object that stays in the place of this one; nil where the conflict is not about two that
    /// must not both be there.
    ///
    /// Two devices may each make an object with the same values where these must be unique. What
    /// referred to the one that goes refers to the other then; its own values are here, and nowhere
    /// else.
    public let survivorID: NSManagedObjectID?

    let number: Int64
    let storeIdentifier: String
  }

  /// The newest conflicts of all stores, newest first.
  ///
  /// Parhelion's addition.
  public func conflicts(limit: Int = 100) throws -> [Conflict] {
    let all = try keeper.engines.flatMap { engine in
      try throwingPublicErrors { try engine.ledger.journal(limit: limit) }.map {
        engine.conflict($0)
      }
    }
    return Array(all.sorted { ($0.date, $0.number) > ($1.date, $1.number) }.prefix(limit))
  }

  /// Puts back what a conflict overwrote, and saves it: it is sent like any other change.
  ///
  /// Parhelion's addition. An object that was deleted is made again, as a new one with the same
  /// values and references; what referred to it does so no more.
  ///
  /// - Throws: Where the object is gone, what a relationship led to is, or one of two that must not
  ///   both be there has gone for the other, an error whose blocker is `cannotUndo`; else why it
  ///   cannot be saved.
  public func undo(_ conflict: Conflict) throws {
    guard
      let engine = keeper.engines.first(where: {
        $0.site.storeIdentifier == conflict.storeIdentifier
      })
    else {
      throw MirrorFault(.storeRemoved, "The store of the conflict is not mirrored any more.")
        .cocoaError(in: nil)
    }
    try throwingPublicErrors { try engine.undo(conflict) }
  }
}

extension MirrorEngine {
  fileprivate func conflict(_ entry: JournalEntry) -> NSPersistentCloudKitContainer.Conflict {
    let kept = entry.property.isEmpty ? entry.kept.flatMap(JournalValue.content) : nil
    return NSPersistentCloudKitContainer.Conflict(
      date: entry.date, objectID: site.objectID(entry.object),
      property: entry.property.isEmpty ? nil : entry.property,
      keptLocal: entry.keptIsOurs, author: entry.author, isUndone: entry.isUndone,
      overwrittenValues: overwrittenValues(entry),
      survivorID: kept.flatMap { objectIDs(of: [$0.recordName]).first },
      number: entry.number, storeIdentifier: site.storeIdentifier)
  }

  private func overwrittenValues(_ entry: JournalEntry) -> [String: Any] {
    guard let content = entry.overwritten.flatMap(JournalValue.content),
      let entity = site.schema[content.entity]
    else { return [:] }
    var values: [String: Any] = [:]
    for property in entity.attributeProperties {
      // What this version of the program cannot read any more is not told.
      if let value = try? entity.objectValue(of: property, in: content) { values[property] = value }
    }
    for (property, name) in content.references { values[property] = objectIDs(of: [name]).first }
    for (property, names) in content.orders { values[property] = objectIDs(of: names) }
    return entry.property.isEmpty ? values : values.filter { $0.key == entry.property }
  }

  /// The objects of records that are here.
  private func objectIDs(of names: [String]) -> [NSManagedObjectID] {
    let identifiers = names.map { RecordIdentifier(recordName: $0, zone: site.homeZone) }
    // A store that cannot be read shows so in what reads it next.
    let subjects = (try? ledger.subjects(of: identifiers)) ?? [:]
    return identifiers.compactMap { subjects[$0]?.subject.object }.map(site.objectID)
  }

  fileprivate func undo(_ conflict: NSPersistentCloudKitContainer.Conflict) throws {
    let entries = try ledger.journal(before: conflict.number + 1, limit: 1)
    guard let entry = entries.first, entry.number == conflict.number,
      let content = entry.overwritten.flatMap(JournalValue.content),
      let entity = site.schema[content.entity]
    else { throw MirrorFault.cannotUndo("what was overwritten cannot be read any more") }
    guard !entry.property.isEmpty || (entry.kept == nil && !entry.isUndone) else {
      throw MirrorFault.cannotUndo(
        entry.isUndone
          ? "the object was made again" : "the object has gone for another one: see survivorID")
    }
    try site.withContextAndWait { [site] context in
      let restoring = Restoring(site: site, context: context, content: content, entity: entity)
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

extension MirrorFault {
  /// Why a conflict cannot be undone, as the program gets it.
  static func cannotUndo(_ reason: String) -> NSError {
    MirrorFault(.cannotUndo, "The conflict cannot be undone: \(reason).").cocoaError(in: nil)
  }
}
