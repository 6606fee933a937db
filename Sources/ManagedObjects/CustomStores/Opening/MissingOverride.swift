import Foundation

/// The errors for methods that a class of stores must override.
enum MissingOverride {
  static func metadata(of storeClass: AnyClass) -> NSError {
    error("metadataForPersistentStore(with:)", storeClass)
  }

  static func settingMetadata(of storeClass: AnyClass) -> NSError {
    error("setMetadata(_:forPersistentStoreAt:)", storeClass)
  }

  static func error(_ method: String, _ storeClass: AnyClass) -> NSError {
    cocoaError(
      NSPersistentStoreOperationError,
      "\(storeClass) does not override \(method), which this operation needs.",
      ["method": method])
  }

  /// Whether an error says that a class does not override a method.
  static func isReason(of error: any Error) -> Bool {
    let error = error as NSError
    return error.code == NSPersistentStoreOperationError && error.userInfo["method"] is String
  }
}
