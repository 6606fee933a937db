import Foundation
import ManagedObjectModel
import ObjectRows

/// The errors of batch requests that the stores do not detect.
enum BatchError {
  static func unsupportedStore(_ store: OpenStore) -> NSError {
    let type = store.persistentStore?.type ?? "another type"
    return cocoaError(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The store \(store.identity.uuid) of the type \(type) cannot execute batch requests: only "
        + "SQLite stores can. Limit the request by affectedStores, or change the objects in a "
        + "context.")
  }

  static func noStore(_ layout: RowLayout) -> NSError {
    cocoaError(
      NSPersistentStoreOperationError,
      "No store can take new objects of \(layout.name). Add one whose configuration has the "
        + "entity, or change affectedStores.",
      ["entity": layout.name])
  }

  static func abstract(_ layout: RowLayout) -> NSError {
    cocoaError(
      NSCoreDataError,
      "The entity \(layout.name) is abstract: it has no objects. Insert objects of a subentity.",
      ["entity": layout.name])
  }

  static func mixedEntities(_ names: [String]) -> NSError {
    cocoaError(
      NSCoreDataError,
      "A batch deletion by identifiers takes objects of one entity and its subentities, but these "
        + "have the entities \(names.joined(separator: ", ")). Use one request for each. Nothing "
        + "was deleted.")
  }

  static func nothingToUpdate(_ layout: RowLayout) -> NSError {
    cocoaError(
      NSCoreDataError,
      "The batch update of \(layout.name) has no new values. Set propertiesToUpdate.",
      ["entity": layout.name])
  }

  // MARK: Values

  /// An error about one value.
  ///
  /// - Parameter row: The number of the inserted row, from 0; nil for an update.
  static func value(_ key: String, _ layout: RowLayout, row: Int?, _ reason: String) -> NSError {
    let request =
      row.map { "Row \($0) (counted from 0) of the batch insertion into" }
      ?? "The batch update of"
    var userInfo: [String: Any] = ["entity": layout.name, NSValidationKeyErrorKey: key]
    userInfo["row"] = row
    return cocoaError(
      NSManagedObjectValidationError,
      "\(request) \(layout.name) cannot set \(key): \(reason) Nothing was changed.", userInfo)
  }
}

extension RowLayout {
  /// The entity's name, for messages.
  var name: String { entity.name ?? "without a name" }
}
