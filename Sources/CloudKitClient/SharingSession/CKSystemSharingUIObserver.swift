public import Foundation
import Synchronization

// Sendable: the blocks are under the lock.
/// Observes changes of shares that users make in sharing sheets of this process.
///
/// On this platform a sheet is a ``CloudSharingSession``. Changes by other programs arrive as
/// changed records.
///
/// ```swift
/// let observer = CKSystemSharingUIObserver(container: container)
/// observer.systemSharingUIDidSaveShareBlock = { recordID, result in … }
/// observer.systemSharingUIDidStopSharingBlock = { recordID, result in … }
/// ```
///
/// The observer stops when it is released.
open class CKSystemSharingUIObserver: NSObject, @unchecked Sendable {
  /// The type of ``systemSharingUIDidSaveShareBlock``.
  public typealias SaveBlock = (CKRecord.ID, Result<CKShare, any Error>) -> Void
  /// The type of ``systemSharingUIDidStopSharingBlock``.
  public typealias StopBlock = (CKRecord.ID, Result<Void, any Error>) -> Void

  // Sendable: a program's blocks must be able to run on any thread, as their documentation says.
  private struct Blocks: @unchecked Sendable {
    var saved: SaveBlock?
    var stopped: StopBlock?
  }

  private let container: CKContainer
  private let blocks = Mutex(Blocks())

  /// Creates an observer of the sheets for a container's shares.
  public init(container: CKContainer) {
    self.container = container
    super.init()
    Self.observers.withLock { $0.append(Entry(observer: self)) }
  }

  deinit { Self.observers.withLock { $0.removeAll { $0.observer == nil } } }

  /// Called when a sheet has saved a share, or failed to; not on the main thread.
  open var systemSharingUIDidSaveShareBlock: SaveBlock? {
    get { blocks.withLock { $0.saved } }
    set { blocks.withLock { $0.saved = newValue } }
  }

  /// Called when a sheet has stopped sharing, or failed to; not on the main thread.
  ///
  /// If the user owns the share, sharing has stopped. Otherwise the user has left the share.
  open var systemSharingUIDidStopSharingBlock: StopBlock? {
    get { blocks.withLock { $0.stopped } }
    set { blocks.withLock { $0.stopped = newValue } }
  }

  // MARK: Observers

  private struct Entry {
    weak var observer: CKSystemSharingUIObserver?
  }

  private static let observers = Mutex<[Entry]>([])

  private static func observers(of container: CKContainer) -> [CKSystemSharingUIObserver] {
    observers.withLock { $0.compactMap(\.observer) }.filter { $0.container == container }
  }

  static func saved(
    _ recordID: CKRecord.ID, _ result: Result<CKShare, any Error>, in container: CKContainer
  ) {
    for observer in observers(of: container) {
      observer.systemSharingUIDidSaveShareBlock?(recordID, result)
    }
  }

  static func stopped(
    _ recordID: CKRecord.ID, _ result: Result<Void, any Error>, in container: CKContainer
  ) {
    for observer in observers(of: container) {
      observer.systemSharingUIDidStopSharingBlock?(recordID, result)
    }
  }
}
