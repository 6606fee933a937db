import Foundation
import ManagedObjectModel
import ObjectRows

/// The operations of a context that merge policies use.
///
/// Before a context calls a policy, it puts the store's conflicting rows into the coordinator's
/// cache, so that a refresh reads them.
protocol MergingContext: NSManagedObjectContext {
  /// Applies the object's changes to the store's row if `flag` is true; discards them otherwise.
  ///
  /// A pending deletion counts as a change.
  func refresh(_ object: NSManagedObject, mergeChanges flag: Bool)
  /// Turns an object whose row was deleted into a new object.
  ///
  /// The object keeps its identifier, and the next save writes its whole row.
  func insert(_ object: NSManagedObject)
  /// Marks the object for deletion.
  ///
  /// The next save deletes its row, and succeeds even if the row no longer exists.
  func delete(_ object: NSManagedObject)
  func object(with objectID: NSManagedObjectID) -> NSManagedObject
}

// MARK: - Snapshots

extension NSManagedObject {
  /// The object's fetched values, as a snapshot.
  var committedSnapshot: [String: Any] {
    prepareAccess()
    if let committedRow { return snapshot(of: committedRow) }
    return Dictionary(uniqueKeysWithValues: namesInSnapshots.map { ($0, NSNull()) })
  }

  /// The object's current values, as a snapshot.
  ///
  /// Values that cannot be read are missing.
  var currentSnapshot: [String: Any] {
    var values: [String: Any] = [:]
    for name in namesInSnapshots {
      if let ordinal = layout.ordinal(of: name), isUnreadable(ordinal) { continue }
      values[name] = Self.snapshotValue(value(forKey: name) ?? NSNull())
    }
    return values
  }

  /// The names of the properties in snapshots: stored attributes and to-one relationships.
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
