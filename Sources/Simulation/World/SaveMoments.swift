import Foundation
import ManagedObjects

/// Tells of each save through a coordinator just before it is written and just behind: moments at
/// which a device may crash.
final class SaveMoments {
  private var observers: [any NSObjectProtocol] = []

  init(of coordinator: NSPersistentStoreCoordinator, _ body: @escaping @Sendable () -> Void) {
    let identity = ObjectIdentifier(coordinator)
    for name in [Notification.Name.NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave] {
      observers.append(
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
          notification in
          let context = notification.object as? NSManagedObjectContext
          if context?.persistentStoreCoordinator.map(ObjectIdentifier.init) == identity { body() }
        })
    }
  }

  deinit { observers.forEach(NotificationCenter.default.removeObserver) }
}
