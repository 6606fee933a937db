import Foundation

/// The result of a batch deletion.
open class NSBatchDeleteResult: NSPersistentStoreResult {
  /// The result, in the form that `resultType` specifies.
  public let result: Any?

  /// The requested form of the result.
  public let resultType: NSBatchDeleteRequestResultType

  init(_ result: Any, _ resultType: NSBatchDeleteRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }
}
