public import Foundation
import Synchronization

extension CKOperation {
  /// The configuration of an operation.
  public typealias Configuration = CKOperationConfiguration
}

// Sendable: all values are under the lock.
/// The configuration of an operation; also available as `CKOperation.Configuration`.
open class CKOperationConfiguration: NSObject, NSCopying, @unchecked Sendable {
  /// The values that were set.
  ///
  /// Others come from the operation's group or are defaults.
  private struct Choices {
    var container: CKContainer?
    var qualityOfService: QualityOfService?
    var allowsCellularAccess: Bool?
    var isLongLived: Bool?
    var timeoutIntervalForRequest: TimeInterval?
    var timeoutIntervalForResource: TimeInterval?
  }

  private let choices = Mutex(Choices())

  /// Creates a configuration without values.
  public override init() { super.init() }

  /// The container for operations that specify no other.
  open var container: CKContainer? {
    get { choices.withLock { $0.container } }
    set { choices.withLock { $0.container = newValue } }
  }

  /// The priority of the operation.
  open var qualityOfService: QualityOfService {
    get { choices.withLock { $0.qualityOfService } ?? .default }
    set { choices.withLock { $0.qualityOfService = newValue } }
  }

  /// Whether the operation may use cellular networks.
  ///
  /// It has no effect on this platform.
  open var allowsCellularAccess: Bool {
    get { choices.withLock { $0.allowsCellularAccess } ?? true }
    set { choices.withLock { $0.allowsCellularAccess = newValue } }
  }

  /// Whether the operation is long-lived, so that a later process can resume it.
  open var isLongLived: Bool {
    get { choices.withLock { $0.isLongLived } ?? false }
    set { choices.withLock { $0.isLongLived = newValue } }
  }

  /// The time in seconds without any data after which a request fails.
  ///
  /// The default is 60.
  open var timeoutIntervalForRequest: TimeInterval {
    get { choices.withLock { $0.timeoutIntervalForRequest } ?? 60 }
    set { choices.withLock { $0.timeoutIntervalForRequest = newValue } }
  }

  /// The time in seconds for the whole operation, with its files and retries.
  ///
  /// The default is one week.
  open var timeoutIntervalForResource: TimeInterval {
    get { choices.withLock { $0.timeoutIntervalForResource } ?? 604_800 }
    set { choices.withLock { $0.timeoutIntervalForResource = newValue } }
  }

  /// Returns a copy with the same values.
  open func copy(with zone: NSZone? = nil) -> Any { filled(from: nil) }

  /// Returns the configuration with unset values taken from another one.
  func filled(from other: CKOperationConfiguration?) -> CKOperationConfiguration {
    let own = choices.withLock { $0 }
    let others = other?.choices.withLock { $0 }
    let filled = CKOperationConfiguration()
    filled.choices.withLock { choices in
      choices.container = own.container ?? others?.container
      choices.qualityOfService = own.qualityOfService ?? others?.qualityOfService
      choices.allowsCellularAccess = own.allowsCellularAccess ?? others?.allowsCellularAccess
      choices.isLongLived = own.isLongLived ?? others?.isLongLived
      choices.timeoutIntervalForRequest =
        own.timeoutIntervalForRequest ?? others?.timeoutIntervalForRequest
      choices.timeoutIntervalForResource =
        own.timeoutIntervalForResource ?? others?.timeoutIntervalForResource
    }
    return filled
  }
}
