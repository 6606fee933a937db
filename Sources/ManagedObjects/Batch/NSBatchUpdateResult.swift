import Foundation

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
  /// The result, in the form that `resultType` specifies.
  public let result: Any?

  /// The requested form of the result.
  public let resultType: NSBatchUpdateRequestResultType

  init(_ result: Any, _ resultType: NSBatchUpdateRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }
}
