import Foundation
public import ManagedObjects

/// The result of a request for events.
open class NSPersistentCloudKitContainerEventResult: NSPersistentStoreResult {
  /// The kind of a result.
  public enum ResultType: Int, Sendable {
    /// An array of events.
    case events = 0
    /// The number of events.
    case countEvents = 1
  }

  /// The result, whose type `resultType` determines.
  public let result: Any?

  /// The kind of result that the request asked for.
  public let resultType: ResultType

  init(_ result: Any, _ resultType: ResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }
}
