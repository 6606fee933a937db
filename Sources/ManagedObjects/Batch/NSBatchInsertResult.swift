import Foundation

/// The result of a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
  /// The result, in the form that `resultType` specifies.
  public let result: Any?

  /// The requested form of the result.
  public let resultType: NSBatchInsertRequestResultType

  init(_ result: Any, _ resultType: NSBatchInsertRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }
}
