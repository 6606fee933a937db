public import Foundation
import ManagedObjectModel

/// A row that was changed by somebody else since an object's changes began.
///
/// ```
///                     context          coordinator       store
/// changed by another
/// context             objectSnapshot   cachedSnapshot
/// changed by another
/// coordinator                          cachedSnapshot    persistedSnapshot
/// ```
///
/// Of the two snapshots that are there, the left one is what the object's changes are based on, the
/// right one is what the store holds. Snapshots hold attributes and to-one relationships, these as
/// object identifiers; `NSNull` stands for no value.
open class NSMergeConflict: NSObject {
  /// The object whose changes could not be saved.
  public let sourceObject: NSManagedObject

  /// The values that the object was fetched with, where another context of the same coordinator
  /// saved.
  public let objectSnapshot: [String: Any]?

  /// The values that the coordinator knew.
  public let cachedSnapshot: [String: Any]?

  /// The values that the store holds, where another coordinator or process saved.
  public let persistedSnapshot: [String: Any]?

  /// The version of the row that the store holds; 0 where the row was deleted.
  public let newVersionNumber: Int

  /// The version of the row that the object's changes are based on.
  public let oldVersionNumber: Int

  /// Creates a conflict.
  ///
  /// Without a persisted snapshot, the object snapshot is made of the values that the object was
  /// fetched with.
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

  /// What the object's changes are based on.
  var baseSnapshot: [String: Any]? { persistedSnapshot == nil ? objectSnapshot : cachedSnapshot }

  /// What the store holds; nil where the row was deleted.
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
