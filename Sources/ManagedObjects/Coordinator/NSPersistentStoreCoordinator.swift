public import Foundation
public import ManagedObjectModel
public import ObjectRows
import Synchronization

/// An object that connects contexts to the stores in which their objects are persisted.
///
/// It knows which store persists which entity. Contexts on several queues can use one coordinator
/// at the same time, and stores serve as many concurrent readers as they can.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(type: .sqlite, at: file)
/// ```
// Sendable: mutexes protect the stores and the name. The rest is immutable.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  private let model: NSManagedObjectModel
  /// The memory layouts of the rows of the model's entities.
  package let layouts: ModelLayouts
  /// The dependencies of the coordinator, its stores and its contexts.
  package let dependencies: StackDependencies
  /// The queue for blocks that the coordinator performs.
  let queue: ExecutionQueue
  /// The contexts that are notified of each other's saves.
  let contextObservers = ContextObservers()
  private let table = LockedBox(StoreTable())
  private let givenName = Mutex<String?>(nil)
  private let heldStoreObserver = LockedBox<(any StoreObserver)?>(nil)
  /// Serializes the addition and removal of stores.
  let changing = ExecutionQueue(label: "store changes", scheduler: DispatchScheduler())
  /// Serializes copies of objects from store to store.
  let copying = ExecutionQueue(label: "copies of objects", scheduler: DispatchScheduler())

  /// Creates a coordinator with a model.
  ///
  /// The model can no longer be changed afterwards.
  public required init(managedObjectModel model: NSManagedObjectModel) {
    self.model = model
    layouts = ModelLayouts.of(model)
    dependencies = StackDependencies.current
    queue = ExecutionQueue(label: "coordinator", scheduler: dependencies.scheduler)
    super.init()
    RegisteredModels.shared.recordUse(of: model)
  }

  deinit {
    // No caller remains that could receive an error.
    for open in openStores { try? open.rowStore.close() }
  }

  /// The model of the stores' objects.
  open var managedObjectModel: NSManagedObjectModel { model }

  /// The stores, in the order in which they were added.
  open var persistentStores: [NSPersistentStore] { withTable { $0.persistentStores } }

  /// The coordinator's name, for debugging.
  open var name: String? {
    get { givenName.withLock { $0 } }
    set { givenName.withLock { $0 = newValue } }
  }

  // MARK: Types of stores

  /// Registers a class for a store type, so that stores of this type can be added.
  ///
  /// The class is a subclass of ``NSAtomicStore`` or ``NSIncrementalStore``. Nil removes the
  /// registration.
  open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
    StoreClasses.register(storeClass, forStoreType: storeType)
  }

  /// The registered store types, including this library's.
  ///
  /// The values identify the classes, and have no other use.
  open class var registeredStoreTypes: [String: NSValue] {
    StoreDrivers.classes.merging(StoreClasses.types) { $1 }
      .mapValues { NSNumber(value: UInt(bitPattern: ObjectIdentifier($0))) }
  }

  // MARK: Adding and removing

  /// Adds a store to the coordinator, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - storeType: The type, such as `NSSQLiteStoreType`.
  ///   - configuration: The model's configuration whose entities the store persists; nil for all
  ///     entities.
  ///   - storeURL: The location of the store. An in-memory store needs none.
  ///   - options: The options. See the constants with `Option` in their names.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore { try openStore(storeType, configuration, at: storeURL, options) }

  /// Adds a store with a description.
  ///
  /// The closure is called once, with the error if there is one. It is called before the method
  /// returns, unless the description adds the store asynchronously: then it is called later, on
  /// another thread.
  open func addPersistentStore(
    with storeDescription: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) { addStore(storeDescription, block) }

  /// Removes a store and closes its files.
  ///
  /// The store's objects can no longer be read.
  open func remove(_ store: NSPersistentStore) throws { try removeStore(store) }

  // MARK: Files

  /// Copies a store to another location or store type, and replaces it with the copy.
  ///
  /// The copied objects have new identifiers, and the former ones become invalid. The former
  /// store's file remains.
  ///
  /// A mirrored store whose copy is mirrored too is copied as a file, so that its objects do not
  /// count as new. Their identifiers stay valid, and the destination must not exist yet.
  ///
  /// The `userInfo` of the notification that stores changed has, under
  /// `NSUUIDChangedPersistentStoresKey`, the former store, the new store, and the identifiers of
  /// the copied objects.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore { try copyStore(store, to: URL, options, storeType) }

  /// Removes a store from the coordinator, empties it, and removes its accompanying files.
  ///
  /// A SQLite file remains in place, so that other processes that have it open see an empty store.
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws { try destroyStore(at: url, storeType, options) }

  /// Overwrites one store with the contents of another.
  ///
  /// The store at the destination is removed from the coordinator. The source store remains.
  open func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replaceStore(
      at: destinationURL, destinationOptions, withStoreAt: sourceURL, sourceOptions, storeType)
  }

  // MARK: URLs

  /// Returns the coordinator's store with the given URL, or nil if there is none.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    withTable { $0.persistentStore(at: URL) }
  }

  /// Returns the URL of a store.
  open func url(for store: NSPersistentStore) -> URL {
    guard let url = store.url else {
      preconditionFailure(
        "\(store) has no URL. Only stores that were added to a coordinator have one.")
    }
    return url
  }

  /// Changes the URL of a store.
  ///
  /// Only the URL of an in-memory or atomic store can be changed. The next save of an atomic store
  /// writes it to the new URL. The method returns false for any other store.
  open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    guard let open = store.open, store.type == NSInMemoryStoreType || open.isMovable else {
      return false
    }
    store.url = url
    return true
  }

  // MARK: Metadata

  /// Returns the metadata of a store, including its UUID and type.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces the metadata of a store.
  ///
  /// It is written at once to a SQLite store, and by the next save to a binary or XML store.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata ?? [:]
  }

  /// Returns the metadata of a store, which need not be open.
  open class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] { try readMetadata(storeType, at: url, options) }

  /// Replaces the metadata of a store that is not open.
  open class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws { try writeMetadata(metadata, storeType, at: url, options) }

  // MARK: Objects and requests

  /// Returns the object identifier for a URI, whether or not the object exists.
  ///
  /// The result is nil if the URI names no store of this coordinator, or no entity of its model.
  /// The URI of a temporary identifier is valid only in the process that created it.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? { identifier(url) }

  /// Executes a request for a context of this coordinator.
  ///
  /// A fetch returns an array, any other request a result object. Call this method on the context's
  /// queue.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext)
    throws -> Any
  {
    try carryOut(request, with: context)
  }

  /// Runs a block asynchronously on the coordinator's queue.
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.perform(block) }

  // MARK: For contexts

  /// An observer of opened and closed stores.
  ///
  /// Set it before the first store is added.
  package var storeObserver: (any StoreObserver)? {
    get { heldStoreObserver.withLock { $0 } }
    set { heldStoreObserver.withLock { $0 = newValue } }
  }

  /// The open stores, in the order in which they were added.
  package var openStores: [OpenStore] { withTable { $0.openStores } }

  /// The open store with a number.
  package func openStore(number: UInt16) -> OpenStore? { withTable { $0[number] } }

  /// The stores that persist an entity.
  package func openStores(keeping layout: RowLayout) -> [OpenStore] {
    openStores.filter { $0.keeps(layout) }
  }

  /// The numbers of the stores that persist an entity.
  func storeNumbers(keeping layout: RowLayout) -> [UInt16] {
    withTable { $0.numbers(keeping: layout) }
  }

  /// The store for a new object: the first writable one that persists its entity.
  package func openStore(forNewObjectOf layout: RowLayout) -> OpenStore? {
    openStores.first { $0.keeps(layout) && !$0.isReadOnly }
  }

  /// The store that an object identifier belongs to, if this coordinator has it.
  package func openStore(of objectID: NSManagedObjectID) -> OpenStore? {
    guard let identity = objectID.storeIdentity else { return nil }
    let stores = openStores
    return stores.first { $0.identity === identity }
      ?? stores.first { $0.identity.uuid == identity.uuid }
  }

  // MARK: Table

  func withTable<Result>(_ body: (inout StoreTable) -> Result) -> Result {
    table.withLock(body)
  }
}
