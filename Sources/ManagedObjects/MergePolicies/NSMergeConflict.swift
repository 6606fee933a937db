public import Foundation
import ManagedObjectModel

/// A conflict with a row that was changed elsewhere after an object's changes began.
///
/// ```
///                     context          coordinator       store
/// changed by another
/// context             objectSnapshot   cachedSnapshot
/// changed by another
/// coordinator                          cachedSnapshot    persistedSnapshot
/// ```
///
/// The left snapshot of a line holds the values on which the object's changes are based, the right
/// one the stored values. Snapshots hold attributes and to-one relationships, with object
/// identifiers for relationships and `NSNull` for missing values.
open class NSMergeConflict: NSObject {
  /// The object whose changes could not be saved.
  public let sourceObject: NSManagedObject

  /// The object's fetched values, if another context of the same coordinator saved.
  public let objectSnapshot: [String: Any]?

  /// The values in the coordinator's cache.
  public let cachedSnapshot: [String: Any]?

  /// The stored values, if another coordinator or process saved.
  public let persistedSnapshot: [String: Any]?

  /// The version of the row in the store; 0 if the row was deleted.
  public let newVersionNumber: Int

  /// The version of the row that the object's changes are based on.
  public let oldVersionNumber: Int

  /// Creates a conflict.
  ///
  /// Without a persisted snapshot, the object snapshot is created from the object's fetched values.
  public convenience init(
    source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
    cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
  ) {
    self.init(
      source: srcObject, newVersion: newvers, oldVersion: oldvers,
      objectSnapshot: persnap == nil ? srcObject.committedSnapshot : nil, cachedSnapshot: cachesnap,
      persistedSnapshot: persnap)
  }

  package init(
    source: NSManagedObject, newVersion: Int, oldVersion: Int, objectSnapshot: [String: Any]?,
    cachedSnapshot: [String: Any]?, persistedSnapshot: [String: Any]?
  ) {
    sourceObject = source
    newVersionNumber = newVersion
    oldVersionNumber = oldVersion
    self.objectSnapshot = objectSnapshot
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    super.init()
  }

  /// The object, both versions and both snapshots.
  open override var description: String {
    let isOfStore = persistedSnapshot != nil
    return """
      NSMergeConflict for \(sourceObject.entity.name ?? "an object") \(sourceObject.shortName) with oldVersion = \
      \(oldVersionNumber) and newVersion = \(newVersionNumber) and old \(isOfStore ? "cached row" : "object snapshot") = \
      \(text(of: baseSnapshot)) and new \(isOfStore ? "database" : "cached") row = \(text(of: storedSnapshot))
      """
  }

  /// The values on which the object's changes are based.
  var baseSnapshot: [String: Any]? { persistedSnapshot == nil ? objectSnapshot : cachedSnapshot }

  /// The stored values; nil if the row was deleted.
  var storedSnapshot: [String: Any]? {
    newVersionNumber == 0 ? nil : persistedSnapshot ?? cachedSnapshot
  }

  private func text(of snapshot: [String: Any]?) -> String {
    guard let snapshot else { return "null" }
    return "{"
      + snapshot.keys.sorted().map { "\($0) = \(snapshot[$0] ?? NSNull())" }.joined(separator: "; ")
      + "}"
  }
}
