import CloudMirroring
import Foundation
import ManagedObjects
import Synchronization
import Testing

/// Somebody who saves while mirroring is about to save, once.
final class MeanwhileSaver: Sendable {
  private let observer = Mutex<KeptToken?>(nil)
  private let saves = Mutex(0)
  /// How many saves of the kind it has met: before the first one it saves.
  var count: Int { saves.withLock(\.self) }

  /// - Parameter isBefore: Whether it saves before a save of an author.
  init(
    of container: NSPersistentCloudKitContainer,
    isBefore: @escaping @Sendable (_ author: String?) -> Bool,
    _ change: @escaping @Sendable (NSManagedObjectContext) throws -> Void
  ) {
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextWillSave, object: nil, queue: nil
    ) { [weak self, weak container] notification in
      guard let self, let container, let saving = notification.object as? NSManagedObjectContext,
        saving.persistentStoreCoordinator === container.persistentStoreCoordinator,
        saving.name == MirrorNames.importAuthor, isBefore(saving.transactionAuthor),
        saves.counted() == 1
      else { return }
      let context = container.newBackgroundContext()
      context.performAndWait {
        do {
          try change(context)
          try context.save()
        } catch { Issue.record(error) }
      }
    }
    observer.withLock { $0 = KeptToken(token) }
  }
}

// Sendable: the centre may be told of an observer on any thread.
/// An observer, which is removed when this goes.
private final class KeptToken: @unchecked Sendable {
  private let observer: any NSObjectProtocol

  init(_ observer: any NSObjectProtocol) { self.observer = observer }

  deinit { NotificationCenter.default.removeObserver(observer) }
}
