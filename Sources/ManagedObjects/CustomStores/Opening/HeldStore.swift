import ObjectRows

/// A store of the program's class, until it is closed.
struct HeldStore<Store: NSPersistentStore>: ~Copyable, Sendable {
  private let held: LockedBox<Store?>
  /// Serializes the calls of the class.
  private let calls = ExecutionQueue(label: "store class", scheduler: DispatchScheduler())

  init(_ store: Store) { held = LockedBox(store) }

  /// Calls a closure with the store, on one thread at a time.
  ///
  /// The class may expect this, because Apple's coordinator does the same. Within a call, the class
  /// may use the context, which then calls the class again.
  func withStore<Result>(_ body: (Store) throws -> Result) throws -> Result {
    try calls.performAndWait { () throws in try body(store()) }
  }

  func store() throws(StoreError) -> Store {
    if let store = held.withLock({ $0 }) { return store }
    throw StoreError(
      .foreignStore, "The store was removed from its coordinator. Add it again to read it.")
  }

  func close() {
    let former = held.withLock { $0.take() }
    // The store is released outside the lock, because its class may have a deinitializer.
    withExtendedLifetime(former) {}
  }
}
