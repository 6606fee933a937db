import CloudKitClient
import Foundation
import ManagedObjectModel
package import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows
import SQLiteStore
import Synchronization

/// Mirrors the stores of one coordinator: sets the options that mirroring needs, and keeps an
/// engine for each store.
package final class MirroringCoordinator: StoreObserver {
  private let state = Mutex(State())
  let publisher = MirrorPublisher()

  private struct State {
    weak var coordinator: NSPersistentStoreCoordinator?
    /// The engines, by the numbers of their stores.
    var engines: [UInt16: MirrorEngine] = [:]
    /// The engines of stores that are opened but not added yet.
    var opened: [UInt16: MirrorEngine] = [:]
    var hook: MirrorHook?
    /// Whether stores that are added later start paused.
    var isPaused = false
  }

  init() {}

  /// Observes the coordinator's stores.
  func observeStores(_ coordinator: NSPersistentStoreCoordinator) {
    state.withLock { $0.coordinator = coordinator }
    coordinator.storeObserver = self
  }

  // MARK: Engines

  /// The engines, in the order in which their stores were added.
  package var engines: [MirrorEngine] {
    state.withLock { $0.engines.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// The engine of an object's store.
  func engine(of objectID: NSManagedObjectID) -> MirrorEngine? {
    guard let identity = objectID.storeIdentity else { return nil }
    return state.withLock { state in
      state.engines.values.first { $0.mirror.identity === identity }
        ?? state.engines.values.first { $0.mirror.storeIdentifier == identity.uuid }
    }
  }

  /// The engine of a store.
  package func engine(of store: NSPersistentStore) -> MirrorEngine? {
    engines.first { $0.mirror.storeIdentifier == store.identifier }
  }

  /// The program's decisions about conflicts, for all stores.
  var hook: MirrorHook? {
    get { state.withLock { $0.hook } }
    set {
      let engines = state.withLock { state in
        state.hook = newValue
        return state.engines.values.map(\.self)
      }
      for engine in engines { engine.hook = newValue }
    }
  }

  /// Pauses all stores, and those that are added later.
  func pause() {
    state.withLock { $0.isPaused = true }
    for engine in engines { engine.note(.pause) }
  }

  /// Resumes all stores.
  func resume() {
    state.withLock { $0.isPaused = false }
    for engine in engines { engine.note(.resume) }
  }

  /// Passes the program's decision to a store, and returns whether the store awaited it.
  func decide(_ decision: MirrorMachine.Trigger, of store: NSPersistentStore) -> Bool {
    engine(of: store)?.decide(decision) ?? false
  }

  // MARK: Stores

  package func options(for request: StoreOpeningRequest) throws -> [AnyHashable: Any]? {
    guard request.mirrorOptions != nil else { return request.options }
    try MirrorRules.check(request)
    return MirrorRules.completed(request.options ?? [:])
  }

  package func didOpen(_ store: OpenStore, _ request: StoreOpeningRequest) throws {
    guard let options = request.mirrorOptions, let url = request.url,
      let coordinator = state.withLock({ $0.coordinator }),
      let rows = store.rowStore as? SQLiteRowStore
    else { return }
    guard MirroredStores.shared.insert(store.identity.uuid) else { throw MirrorRules.inUse(url) }
    do {
      let engine = try makeEngine(store, rows, request, options, url, coordinator)
      state.withLock { state in
        engine.hook = state.hook
        state.opened[store.number] = engine
      }
    } catch {
      MirroredStores.shared.remove(store.identity.uuid)
      throw error
    }
  }

  private func makeEngine(
    _ store: OpenStore, _ rows: SQLiteRowStore, _ request: StoreOpeningRequest,
    _ options: NSPersistentCloudKitContainerOptions,
    _ url: URL, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> MirrorEngine {
    let schema = try MirrorRules.schema(request)
    let dependencies = store.dependencies
    var ledgerOptions = LedgerOptions(
      homeZone: MirrorStore.homeZone(of: options.databaseScope), makeUUID: dependencies.makeUUID,
      now: dependencies.now, tracked: schema.tracked)
    let (layouts, identity) = (coordinator.layouts, store.identity)
    ledgerOptions.explain = { $0.cocoaError(layouts, identity) }
    let ledger = try throwingPublicErrors { try Ledger.open(rows, ledgerOptions) }
    let mirror = MirrorStore(
      container: options.container, scope: options.databaseScope, schema: schema, ledger: ledger,
      store: store, url: url, coordinator: coordinator)
    return MirrorEngine(
      mirror: mirror, isAutomatic: options.isAutomatic, publisher: publisher, sizes: options.sizes,
      plantedBugs: options.plantedBugs, logging: options.logging)
  }

  package func didAdd(_ store: NSPersistentStore, _ open: OpenStore) {
    let engine = state.withLock { state -> MirrorEngine? in
      guard let engine = state.opened.removeValue(forKey: open.number) else { return nil }
      state.engines[open.number] = engine
      return engine
    }
    if state.withLock(\.isPaused) { engine?.note(.pause) }
    engine?.start()
  }

  package func willClose(_ open: OpenStore) {
    if let engine = state.withLock({ $0.opened.removeValue(forKey: open.number) }) { end(engine) }
  }

  package func keepsFile(of store: NSPersistentStore, copiedAs request: StoreOpeningRequest) -> Bool
  {
    engine(of: store) != nil && request.mirrorOptions != nil && request.type == NSSQLiteStoreType
  }

  package func willRemove(_ store: NSPersistentStore, _ open: OpenStore) {
    guard let engine = state.withLock({ $0.engines.removeValue(forKey: open.number) }) else {
      return
    }
    end(engine)
    publisher.stateChanged(engine)
  }

  /// Stops an engine, so that other containers may mirror its store.
  private func end(_ engine: MirrorEngine) {
    engine.end()
    MirroredStores.shared.remove(engine.mirror.storeIdentifier)
  }

  deinit {
    for engine in state.withLock({ Array($0.engines.values) + Array($0.opened.values) }) {
      end(engine)
    }
  }
}

/// The stores that this process mirrors, each with one container.
package final class MirroredStores: Sendable {
  package static let shared = MirroredStores()

  private let identifiers = Mutex<Set<String>>([])

  /// Reserves a store; returns false if another container mirrors it.
  func insert(_ identifier: String) -> Bool {
    identifiers.withLock { $0.insert(identifier).inserted }
  }

  /// Releases a store; tests that simulate another process call this, too.
  package func remove(_ identifier: String) { identifiers.withLock { _ = $0.remove(identifier) } }
}
