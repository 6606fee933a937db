import Foundation

/// The arguments with which a coordinator creates a store.
///
/// For classes of stores. Applications do not use it.
public final class _StoreOpening {
  let type: String
  let url: URL
  let configuration: String?
  let options: [AnyHashable: Any]?
  let coordinator: NSPersistentStoreCoordinator?

  init(_ plan: StorePlan, type: String) {
    self.type = type
    // Stores without a location, such as those of a server, are added without a URL.
    url = plan.url ?? URL(fileURLWithPath: "/dev/null")
    configuration = plan.configuration
    options = plan.options.given
    coordinator = plan.coordinator
  }
}
