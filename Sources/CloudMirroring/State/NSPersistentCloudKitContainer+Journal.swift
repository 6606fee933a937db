public import Foundation
import ManagedObjectModel
import ManagedObjects
public import ObjectRows

extension NSPersistentCloudKitContainer {
  // Sendable: immutable, and its value is one that records hold.
  /// A value that a conflict overwrote, or an object that a deletion took away although it was changed.
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
    /// The value that was overwritten; nil where there was none, and for a relationship, whose object is named by its record.
    public let overwrittenValue: Any?

    let number: Int64
    let storeIdentifier: String
  }

  /// The newest conflicts of all stores, newest first.
  ///
  /// Parhelion's addition.
  public func conflicts(limit: Int = 100) throws -> [Conflict] {
    let all = try keeper.engines.flatMap { engine in
      try throwingPublicErrors { try engine.ledger.journal(limit: limit) }.map { engine.conflict($0) }
    }
    return Array(all.sorted { ($0.date, $0.number) > ($1.date, $1.number) }.prefix(limit))
  }

  /// Puts back the attribute's value that a conflict overwrote, and saves it: it is sent like any other change.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: Where the object is gone, the conflict is about a relationship or a deletion, or it cannot be saved.
  public func undo(_ conflict: Conflict) throws {
    guard let engine = keeper.engines.first(where: { $0.site.storeIdentifier == conflict.storeIdentifier }) else {
      throw MirrorFault(.storeRemoved, "The store of the conflict is not mirrored any more.").cocoaError(in: nil)
    }
    try throwingPublicErrors { try engine.undo(conflict) }
  }
}

extension MirrorEngine {
  fileprivate func conflict(_ entry: JournalEntry) -> NSPersistentCloudKitContainer.Conflict {
    NSPersistentCloudKitContainer.Conflict(
      date: entry.date, objectID: site.objectID(entry.object), property: entry.property.isEmpty ? nil : entry.property,
      keptLocal: entry.keptIsOurs, author: entry.author, isUndone: entry.isUndone,
      overwrittenValue: overwrittenValue(entry), number: entry.number,
      storeIdentifier: site.storeIdentifier)
  }

  private func overwrittenValue(_ entry: JournalEntry) -> Any? {
    guard let content = entry.overwritten.flatMap(JournalValue.content), let entity = site.schema[content.entity],
      !entity.attributes(of: entry.property).isEmpty
    else { return nil }
    return (try? entity.objectValue(of: entry.property, in: content)) ?? nil
  }

  fileprivate func undo(_ conflict: NSPersistentCloudKitContainer.Conflict) throws {
    let entries = try ledger.journal(before: conflict.number + 1, limit: 1)
    guard let entry = entries.first, entry.number == conflict.number, let property = conflict.property,
      let content = entry.overwritten.flatMap(JournalValue.content), let entity = site.schema[content.entity],
      !entity.attributes(of: property).isEmpty
    else {
      throw MirrorFault(.store, "Only values of attributes can be put back: the conflict is about something else.")
        .cocoaError(in: nil)
    }
    try site.withContextAndWait { context in
      let object = try context.existingObject(with: conflict.objectID)
      object.willChangeValue(forKey: property)
      object.setPrimitiveValue(try entity.objectValue(of: property, in: content), forKey: property)
      object.didChangeValue(forKey: property)
      try context.save()
    }
    try ledger.setUndone(true, conflict.number)
  }
}
