import ManagedObjectModel
import ObjectRows
import Synchronization

/// Informs incremental stores of the objects that a context has.
///
/// Objects leave a context in their deinitializers, on any thread.
final class RegistrationNotifier: Sendable {
  fileprivate struct Place: Hashable {
    let key: Int64
    let layoutIndex: Int
    let storeNumber: UInt16
  }

  private struct Registered {
    weak var store: NSIncrementalStore?
    let layout: RowLayout
  }

  private let registered = LockedBox<[Place: Registered]>([:])
  /// Whether any object was registered.
  private let isUsed = Atomic(false)

  /// Informs a store that a context has an object.
  func register(_ object: NSManagedObject, in store: NSIncrementalStore) {
    isUsed.store(true, ordering: .relaxed)
    let layout = object.layout
    let isNew = registered.withLock { registered in
      registered.updateValue(Registered(store: store, layout: layout), forKey: Place(object)) == nil
    }
    guard isNew else { return }
    store.managedObjectContextDidRegisterObjects(with: [
      Self.identifier(object.key, layout, store)
    ])
  }

  /// Informs a store that a context no longer has an object.
  func remove(_ object: NSManagedObject) {
    guard isUsed.load(ordering: .relaxed) else { return }
    let found = registered.withLock { $0.removeValue(forKey: Place(object)) }
    guard let found, let store = found.store else { return }
    store.managedObjectContextDidUnregisterObjects(with: [
      Self.identifier(object.key, found.layout, store)
    ])
  }

  /// Informs the stores that a context no longer has any object.
  func removeAll() {
    guard isUsed.load(ordering: .relaxed) else { return }
    let found = registered.withLock { registered in
      defer { registered = [:] }
      return registered
    }
    var byStore: [ObjectIdentifier: (store: NSIncrementalStore, identifiers: [NSManagedObjectID])] =
      [:]
    for (place, entry) in found {
      guard let store = entry.store else { continue }
      byStore[ObjectIdentifier(store), default: (store, [])].identifiers.append(
        Self.identifier(place.key, entry.layout, store))
    }
    for (store, identifiers) in byStore.values {
      store.managedObjectContextDidUnregisterObjects(with: identifiers)
    }
  }

  private static func identifier(_ key: Int64, _ layout: RowLayout, _ store: NSIncrementalStore)
    -> NSManagedObjectID
  {
    NSManagedObjectID(layout: layout, key: key, storeIdentity: store.references.identity)
  }
}

extension RegistrationNotifier.Place {
  fileprivate init(_ object: NSManagedObject) {
    self.init(
      key: object.key, layoutIndex: object.layout.index, storeNumber: object.storeNumber)
  }
}

extension NSManagedObjectContext {
  /// Informs an object's store, if it is an incremental one, that this context has the object.
  func notifyStore(ofRegistered object: NSManagedObject) {
    guard NSIncrementalStore.wasOpened.load(ordering: .relaxed),
      let open = storedCoordinator?.openStore(number: object.storeNumber),
      open.contextual?.fetchesFaults == true,
      let store = open.persistentStore as? NSIncrementalStore
    else { return }
    registry.notifier.register(object, in: store)
  }
}
