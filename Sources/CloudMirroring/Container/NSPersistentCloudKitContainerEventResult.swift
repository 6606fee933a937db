import Foundation
public import ManagedObjects

/// What a request for events gave.
open class NSPersistentCloudKitContainerEventResult: NSPersistentStoreResult {
  /// The kinds of results.
  public enum ResultType: Int, Sendable {
    /// An array of events.
    case events = 0
    /// How many events there are.
    case countEvents = 1
  }

  /// The result, of the kind that `resultType` says.
  public let result: Any?

  /// What the request asked for.
  public let resultType: ResultType

  init(_ result: Any, _ resultType: ResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }
}
