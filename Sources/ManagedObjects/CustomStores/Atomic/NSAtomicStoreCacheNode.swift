public import Foundation
import ManagedObjectModel
public import ObjectRows

/// The values of one object in an atomic store.
open class NSAtomicStoreCacheNode: NSObject {
  private struct State {
    var cache: NSMutableDictionary?
  }

  private let identifier: NSManagedObjectID
  private let state = LockedBox(State())

  /// Creates a node without values.
  public init(objectID moid: NSManagedObjectID) {
    identifier = moid
    super.init()
  }

  /// The identifier of the object.
  open var objectID: NSManagedObjectID { identifier }

  /// The values by name of the property; nil until one is set.
  open var propertyCache: NSMutableDictionary? {
    get { state.withLock { $0.cache } }
    set { state.withLock { $0.cache = newValue } }
  }

  /// Returns the value of a property, or nil.
  ///
  /// The value of a to-one relationship is a node, and that of a to-many relationship a set of
  /// nodes.
  ///
  /// - Precondition: The entity has a property with this name.
  open func value(forKey key: String) -> Any? {
    requireProperty(key)
    return propertyCache?[key]
  }

  /// Sets the value of a property; nil removes it.
  ///
  /// - Precondition: The entity has a property with this name.
  open func setValue(_ value: Any?, forKey key: String) {
    requireProperty(key)
    guard let value else {
      propertyCache?.removeObject(forKey: key)
      return
    }
    let cache = propertyCache ?? NSMutableDictionary()
    cache[key] = value
    propertyCache = cache
  }

  private func requireProperty(_ key: String) {
    precondition(
      identifier.layout.ordinal(of: key) != nil,
      "The entity \(identifier.entity.name ?? "") of a cache node has no property \(key). "
        + "Override value(forKey:) and setValue(_:forKey:) for other keys."
    )
  }
}
