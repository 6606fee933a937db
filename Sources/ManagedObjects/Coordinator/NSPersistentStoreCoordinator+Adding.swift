public import Foundation
import ObjectRows

extension NSPersistentStoreCoordinator {
  /// Adds a store.
  ///
  /// - Parameter relationships: The relationships without an inverse whose members may have several
  ///   owners in a new SQLite store.
  func openStore(
    _ storeType: String, _ configuration: String?, at storeURL: URL?,
    _ options: [AnyHashable: Any]?, joining relationships: Set<ObjectIdentifier> = []
  ) throws -> NSPersistentStore {
    try throwingPublicErrors {
      let addition = try StoreAddition(
        type: storeType, configuration: configuration, url: storeURL, options: options,
        joining: relationships, coordinator: self)
      return try changing.performAndWait { () throws in try addition.perform() }
    }
  }

  /// Adds a store to the coordinator, and creates it if it does not exist.
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  func addStore(
    _ storeDescription: NSPersistentStoreDescription,
    _ block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    nonisolated(unsafe) let description = storeDescription
    nonisolated(unsafe) let completion = block
    let add: @Sendable () -> Void = {
      do {
        try unsafe self.addPersistentStore(describedBy: description)
        unsafe completion(description, nil)
      } catch {
        unsafe completion(description, error)
      }
    }
    if storeDescription.shouldAddStoreAsynchronously { queue.perform(add) } else { add() }
  }

  func addPersistentStore(describedBy description: NSPersistentStoreDescription) throws {
    try addPersistentStore(
      ofType: description.type, configurationName: description.configuration, at: description.url,
      options: description.options)
  }

  func removeStore(_ store: NSPersistentStore) throws {
    try throwingPublicErrors {
      guard let open = store.open, withTable({ $0.persistentStores.contains { $0 === store } })
      else {
        throw StoreError(
          .foreignStore, "The store \(store) cannot be removed: this coordinator does not have it.")
      }
      try changing.performAndWait { () throws in try remove(store, open) }
    }
  }

  private func remove(_ store: NSPersistentStore, _ open: OpenStore) throws {
    let change = [NSRemovedPersistentStoresKey: [store]]
    post(.NSPersistentStoreCoordinatorStoresWillChange, change)
    storeObserver?.willRemove(store, open)
    store.willRemove(from: self)
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    _ = withTable { $0.remove(store) }
    store.detach()
    open.stopPostingChanges()
    open.identity.store = nil
    post(.NSPersistentStoreCoordinatorStoresDidChange, change)
    try open.rowStore.close()
  }

  func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]) {
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }
}
