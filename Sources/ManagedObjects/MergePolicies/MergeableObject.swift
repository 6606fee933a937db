import Foundation
import ManagedObjectModel
import ObjectRows

/// What merge policies ask of a managed object.
protocol MergeableObject: NSManagedObject {
  var objectID: NSManagedObjectID { get }
  var isInserted: Bool { get }
  var isDeleted: Bool { get }
  func changedValues() -> [String: Any]
  func committedValues(forKeys keys: [String]?) -> [String: Any]
}

/// What merge policies ask of the context whose save has conflicts.
///
/// Before it calls a policy, the context makes the store's rows that stand against it the newest ones that it knows.
protocol MergingContext: NSManagedObjectContext {
  /// Puts the object's changes on the store's row, or, without merging, drops them, a deletion among them.
  func refresh(_ object: NSManagedObject, mergeChanges flag: Bool)
  /// Makes a new object of one whose row was deleted: it keeps its identifier, and its row is written whole.
  func insert(_ object: NSManagedObject)
  /// Marks the object as one to delete.
  ///
  /// The next save deletes its row, and is content where the row is gone already.
  func delete(_ object: NSManagedObject)
  func object(with objectID: NSManagedObjectID) -> NSManagedObject
}

extension NSManagedObject {
  var mergeable: (any MergeableObject)? { self as? any MergeableObject }

  /// The properties that snapshots hold, sorted.
  var namesInSnapshots: [String] {
    entity.propertiesByName.values.filter { property in
      guard !property.isTransient else { return false }
      if let relationship = property as? NSRelationshipDescription { return !relationship.isToMany }
      return property is NSAttributeDescription
    }.map(\.name).sorted()
  }
}

extension MergeableObject {
  /// The object's entity and the end of its identifier, for messages.
  var name: String { objectID.uriRepresentation().lastPathComponent }

  /// The values that the object was fetched with.
  var committedSnapshot: [String: Any] {
    committedValues(forKeys: namesInSnapshots).mapValues(Self.snapshotValue)
  }

  /// The object's values now.
  var currentSnapshot: [String: Any] {
    var values: [String: Any] = [:]
    for name in namesInSnapshots { values[name] = Self.snapshotValue(value(forKey: name) ?? NSNull()) }
    return values
  }

  private static func snapshotValue(_ value: Any) -> Any { (value as? any MergeableObject)?.objectID ?? value }
}
