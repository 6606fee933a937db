import Foundation
import ObjectRows

/// The classes of stores that the program registered, by store type.
enum StoreClasses {
  private static let registered = LockedBox<[String: NSPersistentStore.Type]>([:])

  /// Registers a class, or removes the registration.
  ///
  /// - Precondition: It is a class of atomic or incremental stores.
  static func register(_ storeClass: AnyClass?, forStoreType type: String) {
    guard let storeClass else { return registered.withLock { $0[type] = nil } }
    guard storeClass is NSAtomicStore.Type || storeClass is NSIncrementalStore.Type,
      let store = storeClass as? NSPersistentStore.Type
    else {
      preconditionFailure(
        "\(storeClass) cannot be registered for the store type \(type): it is neither a "
          + "subclass of NSAtomicStore nor of NSIncrementalStore."
      )
    }
    registered.withLock { $0[type] = store }
  }

  /// The driver for a type that the program registered.
  static func driver(ofType type: String) -> (any StoreDriver)? {
    registered.withLock { $0[type] }.map { CustomStoreDriver(type: type, storeClass: $0) }
  }

  static var types: [String: NSPersistentStore.Type] { registered.withLock { $0 } }
}

extension NSPersistentStoreCoordinator {
  /// Registers a class for a store type.
  public class func registerStoreClass(
    _ storeClass: AnyClass?, type storeType: NSPersistentStore.StoreType
  ) {
    registerStoreClass(storeClass, forStoreType: storeType.rawValue)
  }
}
