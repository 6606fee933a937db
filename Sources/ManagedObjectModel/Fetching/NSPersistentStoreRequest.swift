public import Foundation

/// A request to one or more persistent stores: the common superclass of fetches, saves and batch
/// requests.
open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// The stores that the request is limited to, or nil for all.
  ///
  /// `ManagedObjects` exposes it with Apple's name and type.
  @safe @exclusivity(unchecked) package var limitedToStores: [AnyObject]?

  /// The kind of the request.
  open var requestType: NSPersistentStoreRequestType {
    preconditionFailure(
      "\(type(of: self)) must override requestType: the superclass has no request type.")
  }

  /// Creates a request to all stores.
  public override init() {
    super.init()
  }

  /// Returns a copy of the request.
  ///
  /// Every subclass overrides it.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreRequest()
    copy.limitedToStores = limitedToStores
    return copy
  }
}
