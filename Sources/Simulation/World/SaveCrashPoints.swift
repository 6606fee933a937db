import Foundation
import ManagedObjects

/// Calls a closure just before and just after each save in a coordinator: its two crash points.
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
