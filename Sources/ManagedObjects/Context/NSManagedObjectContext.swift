public import Foundation

/// The place in which managed objects live, are changed together, and are saved.
///
/// There is nothing to create a context with yet: managed objects exist on their own.
open class NSManagedObjectContext: NSObject {
  /// A context cannot be created yet.
  @available(*, unavailable, message: "Contexts are not there yet; pass nil to create a managed object on its own.")
  public override init() {
    super.init()
  }
}
