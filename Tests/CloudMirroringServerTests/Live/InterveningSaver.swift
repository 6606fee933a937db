import CloudMirroring
import Foundation
import ManagedObjects
import MirrorModel
import Synchronization
import Testing

/// Saves once, just before mirroring saves.
final class InterveningSaver: Sendable {
  private let observer = Mutex<KeptToken?>(nil)
  private let saves = Mutex(0)
  /// The number of matching saves.
  ///
  /// The first one is preceded by this saver's.
  var count: Int { saves.withLock(\.self) }

  /// Saves a change once, immediately before another save.
  ///
  /// - Parameter isBefore: Whether to save before a save of this author.
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

// Sendable: the notification center accepts observers on any thread.
/// An observer that is removed with this object.
private final class KeptToken: @unchecked Sendable {
  private let observer: any NSObjectProtocol

  init(_ observer: any NSObjectProtocol) { self.observer = observer }

  deinit { NotificationCenter.default.removeObserver(observer) }
}
