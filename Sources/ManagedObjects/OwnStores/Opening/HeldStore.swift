import ObjectRows

/// A store of the program's class, until it is closed.
struct HeldStore<Store: NSPersistentStore>: ~Copyable, Sendable {
  private let held: LockedBox<Store?>

  init(_ store: Store) { held = LockedBox(store) }

  func store() throws(StoreError) -> Store {
    if let store = held.withLock({ $0 }) { return store }
    throw StoreError(
      .foreignStore, "The store was removed from its coordinator. Add it again to read it.")
  }

  func close() {
    let former = held.withLock { $0.take() }
    // It is released outside the lock, because its class may run code then.
    withExtendedLifetime(former) {}
  }
}
