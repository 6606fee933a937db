import Foundation
import ManagedObjectModel
import ObjectRows

/// Adds one store to a coordinator.
struct StoreAddition {
  let type: String
  let options: [AnyHashable: Any]?
  let coordinator: NSPersistentStoreCoordinator
  let driver: any StoreDriver
  let plan: StorePlan
  private let request: StoreOpeningRequest

  init(
    type: String, configuration: String?, url: URL?, options: [AnyHashable: Any]?,
    joining relationships: Set<ObjectIdentifier>, coordinator: NSPersistentStoreCoordinator
  ) throws {
    self.type = type
    self.coordinator = coordinator
    driver = try StoreDrivers.driver(ofType: type)
    let configuration =
      configuration == NSPersistentStore.defaultConfigurationName ? nil : configuration
    let request = StoreOpeningRequest(
      type: type, url: url, configuration: configuration, options: options,
      model: coordinator.managedObjectModel)
    let options = try coordinator.storeObserver.map { try $0.options(for: request) } ?? options
    (self.request, self.options) = (request, options)
    plan = StorePlan(
      url: url, model: coordinator.managedObjectModel, layouts: coordinator.layouts,
      configuration: configuration,
      options: GivenOptions(options), dependencies: coordinator.dependencies,
      joinedRelationships: relationships, coordinator: coordinator)
    try checkConfiguration()
  }

  func perform() throws -> NSPersistentStore {
    try checkPlace()
    let rows = try driver.open(plan)
    let open = OpenStore(number: try number(for: rows), rows: rows, plan: plan)
    try prepare(open)
    let store = rows.persistentStore ?? counterpart(of: open)
    store.attach(open, type: type)
    add(store, open)
    return store
  }

  /// Returns the number of the new store.
  ///
  /// If all numbers are used, closes the store and throws an error.
  private func number(for rows: RowsOfStore) throws -> UInt16 {
    do {
      return try StoreTable.number(afterStores: coordinator.withTable { $0.addedCount })
    } catch {
      try? rows.rowStore.close()
      throw error
    }
  }

  private func counterpart(of open: OpenStore) -> NSPersistentStore {
    let place = plan.url ?? URL(string: "memory://\(open.identity.uuid)")
    let store = NSPersistentStore(
      persistentStoreCoordinator: nil, configurationName: open.configurationName,
      at: place ?? URL(fileURLWithPath: "/dev/null"), options: options)
    return store
  }

  /// Prepares a store before it is used.
  private func prepare(_ open: OpenStore) throws {
    do {
      try coordinator.storeObserver?.didOpen(open, request)
      if plan.options.postsRemoteChanges { try open.startPostingChanges(for: coordinator) }
    } catch {
      coordinator.storeObserver?.willClose(open)
      try? open.rowStore.close()
      throw error
    }
  }

  private func add(_ store: NSPersistentStore, _ open: OpenStore) {
    let change = [NSAddedPersistentStoresKey: [store]]
    coordinator.post(.NSPersistentStoreCoordinatorStoresWillChange, change)
    open.identity.store = open
    store.attach(to: coordinator)
    coordinator.withTable { $0.add(open, store) }
    store.didAdd(to: coordinator)
    coordinator.post(.NSPersistentStoreCoordinatorStoresDidChange, change)
    coordinator.storeObserver?.didAdd(store, open)
  }

  private func checkConfiguration() throws(StoreError) {
    guard let name = plan.configuration, !plan.model.configurations.contains(name) else { return }
    let known = plan.model.configurations.joined(separator: ", ")
    throw StoreError(
      .unknownConfiguration,
      "The model has no configuration \(name). Its configurations are: \(known.isEmpty ? "none" : known).",
      context: ["configuration": name])
  }

  private func checkPlace() throws(StoreError) {
    guard let url = plan.url, !driver.isPrivate(url) else { return }
    guard coordinator.withTable({ $0.persistentStore(at: url) }) != nil else { return }
    throw StoreError(
      .storeAddedTwice, "The store at \(url.path) cannot be added: the coordinator has it already.",
      context: ["file": url.path])
  }
}
