import Foundation
import ManagedObjects

/// Observes each save of a coordinator just before and just after it is written, as crash points.
final class SaveCrashPoints {
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
