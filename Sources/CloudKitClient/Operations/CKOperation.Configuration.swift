public import Foundation
import Synchronization

extension CKOperation {
  /// How operations ask.
  public typealias Configuration = CKOperationConfiguration
}

// Sendable: everything is under the lock.
/// How operations ask: `CKOperation.Configuration`.
open class CKOperationConfiguration: NSObject, NSCopying, @unchecked Sendable {
  /// What was set; the rest is as the operation's group says, or as everybody is.
  private struct Choices {
    var container: CKContainer?
    var qualityOfService: QualityOfService?
    var allowsCellularAccess: Bool?
    var isLongLived: Bool?
    var timeoutIntervalForRequest: TimeInterval?
    var timeoutIntervalForResource: TimeInterval?
  }

  private let choices = Mutex(Choices())

  /// A configuration that leaves everything open.
  public override init() { super.init() }

  /// The container that is asked where nothing else says which.
  open var container: CKContainer? {
    get { choices.withLock { $0.container } }
    set { choices.withLock { $0.container = newValue } }
  }

  /// How much the user waits for it.
  open var qualityOfService: QualityOfService {
    get { choices.withLock { $0.qualityOfService } ?? .default }
    set { choices.withLock { $0.qualityOfService = newValue } }
  }

  /// Whether a network may be used that is paid for by the byte; nobody can tell here which is.
  open var allowsCellularAccess: Bool {
    get { choices.withLock { $0.allowsCellularAccess } ?? true }
    set { choices.withLock { $0.allowsCellularAccess = newValue } }
  }

  /// Whether it is carried on even if nobody waits for it.
  open var isLongLived: Bool {
    get { choices.withLock { $0.isLongLived } ?? false }
    set { choices.withLock { $0.isLongLived = newValue } }
  }

  /// How many seconds nothing may come of a request before it is given up; a minute where nothing
  /// is said.
  open var timeoutIntervalForRequest: TimeInterval {
    get { choices.withLock { $0.timeoutIntervalForRequest } ?? 60 }
    set { choices.withLock { $0.timeoutIntervalForRequest = newValue } }
  }

  /// How many seconds all of it may take, with its files and what is sent again; a week where
  /// nothing is said.
  open var timeoutIntervalForResource: TimeInterval {
    get { choices.withLock { $0.timeoutIntervalForResource } ?? 604_800 }
    set { choices.withLock { $0.timeoutIntervalForResource = newValue } }
  }

  /// Another configuration that says the same.
  open func copy(with zone: NSZone? = nil) -> Any { filled(from: nil) }

  /// The same, and what it leaves open as another one says.
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
