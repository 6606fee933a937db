import Foundation
import ManagedObjectModel
import ObjectRows

/// What merge policies ask of the context whose save has conflicts.
///
/// Before it calls a policy, the context makes the store's rows that stand against it the newest
/// ones that it knows.
protocol MergingContext: NSManagedObjectContext {
  /// Puts the object's changes on the store's row, or, without merging, drops them, a deletion
  /// among them.
  func refresh(_ object: NSManagedObject, mergeChanges flag: Bool)
  /// Makes a new object of one whose row was deleted: it keeps its identifier, and its row is
  /// written whole.
  func insert(_ object: NSManagedObject)
  /// Marks the object as one to delete.
  ///
  /// The next save deletes its row, and is content where the row is gone already.
  func delete(_ object: NSManagedObject)
  func object(with objectID: NSManagedObjectID) -> NSManagedObject
}

// MARK: - Snapshots

extension NSManagedObject {
  /// The values that the object was fetched with, as snapshots hold them.
  var committedSnapshot: [String: Any] {
    prepareAccess()
    if let committedRow { return snapshot(of: committedRow) }
    return Dictionary(uniqueKeysWithValues: namesInSnapshots.map { ($0, NSNull()) })
  }

  /// The object's values now, as snapshots hold them; none where a value cannot be read.
  var currentSnapshot: [String: Any] {
    var values: [String: Any] = [:]
    for name in namesInSnapshots {
      if let ordinal = layout.ordinal(of: name), isUnreadable(ordinal) { continue }
      values[name] = Self.snapshotValue(value(forKey: name) ?? NSNull())
    }
    return values
  }

  /// The properties that snapshots hold: attributes and to-one relationships that are stored.
  private var namesInSnapshots: [String] {
    layout.properties.filter { property in
      guard !property.isTransient else { return false }
      if let relationship = property as? NSRelationshipDescription { return !relationship.isToMany }
      return property is NSAttributeDescription
    }.map(\.name)
  }

  private static func snapshotValue(_ value: Any) -> Any {
    (value as? NSManagedObject)?.objectID ?? value
  }

  /// The end of the object's identifier, for messages.
  var shortName: String { objectID.uriRepresentation().lastPathComponent }
}
