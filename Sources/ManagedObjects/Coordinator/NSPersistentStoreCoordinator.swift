public import Foundation
public import ManagedObjectModel
public import ObjectRows
import Synchronization

/// Connects contexts with the stores that keep their objects.
///
/// It knows which store keeps which entity. Contexts on several queues use one coordinator at once;
/// stores let as many of them read at a time as they can.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(type: .sqlite, at: file)
/// ```
// Sendable: the stores and the name lie behind mutexes; all else never changes.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  private let model: NSManagedObjectModel
  /// How the rows of the model's entities lie in memory.
  package let layouts: ModelLayouts
  /// What the coordinator, its stores and its contexts take from outside.
  package let dependencies: StackDependencies
  /// Where blocks run that are given to the coordinator itself.
  let queue: ExecutionQueue
  /// The contexts that take over each other's saves.
  let audience = ContextObservers()
  private let table = LockedBox(StoreTable())
  private let givenName = Mutex<String?>(nil)
  private let heldAttendant = LockedBox<(any StoreObserver)?>(nil)
  /// Held while a store is added or removed, so that this happens one at a time.
  let changing = ExecutionQueue(label: "store changes", scheduler: DispatchScheduler())

  /// A coordinator of a model.
  ///
  /// The model comes into use and can no longer be changed.
  public required init(managedObjectModel model: NSManagedObjectModel) {
    self.model = model
    layouts = ModelLayouts.of(model)
    dependencies = StackDependencies.current
    queue = ExecutionQueue(label: "coordinator", scheduler: dependencies.scheduler)
    super.init()
    RegisteredModels.shared.recordUse(of: model)
  }

  deinit {
    // Nobody is left whom an error could be told.
    for open in openStores { try? open.rowStore.close() }
  }

  /// The model whose objects the stores keep.
  open var managedObjectModel: NSManagedObjectModel { model }

  /// The stores, in the order of their addition.
  open var persistentStores: [NSPersistentStore] { withTable { $0.persistentStores } }

  /// A name for people who debug the program.
  open var name: String? {
    get { givenName.withLock { $0 } }
    set { givenName.withLock { $0 = newValue } }
  }

  // MARK: Adding and removing

  /// Opens a store, or creates it where there is none, and adds it.
  ///
  /// - Parameters:
  ///   - storeType: The type, such as `NSSQLiteStoreType`.
  ///   - configuration: The configuration of the model that says which entities are kept in the
  ///     store; nil for all.
  ///   - storeURL: Where the store is. A store in memory needs no place.
  ///   - options: How it is opened: see the constants with `Option` in their names.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore { try openStore(storeType, configuration, at: storeURL, options) }

  /// Adds the store that a description speaks of.
  ///
  /// The closure is called once, with the error if there is one: before the method returns, or
  /// later and on another thread where the description says that the store is added asynchronously.
  open func addPersistentStore(
    with storeDescription: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) { addStore(storeDescription, block) }

  /// Removes a store and lets go of its files.
  ///
  /// Its objects can no longer be read.
  open func remove(_ store: NSPersistentStore) throws { try removeStore(store) }

  // MARK: Files

  /// Copies a store to another place, or into a store of another type, and takes the copy in its
  /// place.
  ///
  /// The objects of the copy have identifiers of their own: those of the former store's objects
  /// lose their meaning. The former store's file stays.
  ///
  /// A store that is mirrored with the cloud and whose copy is to be is copied as a file, so that
  /// nothing of it is taken for new: identifiers stay there, and nothing may be at the other place
  /// yet.
  ///
  /// The notification that stores changed has, under `NSUUIDChangedPersistentStoresKey`, the former
  /// store, the new one and the identifiers of the copied objects.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore { try copyStore(store, to: URL, options, storeType) }

  /// Empties a store and what lies beside it.
  ///
  /// A SQLite file stays where it is, so that other processes that have it open see an empty store.
  /// The coordinator no longer has the store afterwards.
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws { try destroyStore(at: url, storeType, options) }

  /// Writes the contents of one store over another.
  ///
  /// The coordinator no longer has the store at the destination afterwards; that at the source
  /// stays.
  open func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replaceStore(
      at: destinationURL, destinationOptions, withStoreAt: sourceURL, sourceOptions, storeType)
  }

  // MARK: Places

  /// The store at a place, or nil where the coordinator has none there.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    withTable { $0.persistentStore(at: URL) }
  }

  /// Where a store is.
  open func url(for store: NSPersistentStore) -> URL {
    guard let url = store.url else {
      preconditionFailure(
        "\(store) has no place. Only stores that were added to a coordinator have one.")
    }
    return url
  }

  /// Says that a store is at another place from now on.
  ///
  /// Only a store in memory can move in this way. Returns false for any other.
  open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    guard store.type == NSInMemoryStoreType, store.open != nil else { return false }
    store.url = url
    return true
  }

  // MARK: Metadata

  /// What a store says about itself, its UUID and type included.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces what a store says about itself.
  ///
  /// It is in the store's file after the next save at the latest.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata ?? [:]
  }

  /// What a store that need not be open says about itself.
  open class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] { try readMetadata(storeType, at: url, options) }

  /// Replaces what a store that is not open says about itself.
  open class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws { try writeMetadata(metadata, storeType, at: url, options) }

  // MARK: Objects and requests

  /// The object identifier that a URI stands for.
  ///
  /// It is nil where the URI speaks of no store of this coordinator, or of no entity of its model.
  /// Whether the object exists is not looked at. The URI of a temporary identifier has a meaning
  /// only in the process that made it.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? { identifier(url) }

  /// Carries out a request for a context of this coordinator.
  ///
  /// A fetch gives an array of its results, any other request a result object. Call it on the queue
  /// of the context.
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext)
    throws -> Any
  {
    try carryOut(request, with: context)
  }

  /// Runs a block on the coordinator's queue, later.
  open func perform(_ block: @escaping @Sendable () -> Void) { queue.perform(block) }

  // MARK: For contexts

  /// What takes part when stores are opened and closed; set before there are any.
  package var attendant: (any StoreObserver)? {
    get { heldAttendant.withLock { $0 } }
    set { heldAttendant.withLock { $0 = newValue } }
  }

  /// The open stores, in the order of their addition.
  package var openStores: [OpenStore] { withTable { $0.openStores } }

  /// The store of a number, while it is open.
  package func openStore(number: UInt16) -> OpenStore? { withTable { $0[number] } }

  /// The stores that keep an entity.
  package func openStores(keeping layout: RowLayout) -> [OpenStore] {
    openStores.filter { $0.keeps(layout) }
  }

  /// The numbers of the stores that keep an entity.
  func storeNumbers(keeping layout: RowLayout) -> [UInt16] {
    withTable { $0.numbers(keeping: layout) }
  }

  /// The store for a new object: the first that keeps its entity and can be written.
  package func openStore(forNewObjectOf layout: RowLayout) -> OpenStore? {
    openStores.first { $0.keeps(layout) && !$0.isReadOnly }
  }

  /// The store that an object identifier speaks of, while it is one of this coordinator's.
  package func openStore(of objectID: NSManagedObjectID) -> OpenStore? {
    guard let identity = objectID.storeIdentity else { return nil }
    let stores = openStores
    return stores.first { $0.identity === identity }
      ?? stores.first { $0.identity.uuid == identity.uuid }
  }

  // MARK: The table

  func withTable<Result>(_ body: (inout StoreTable) -> Result) -> Result {
    table.withLock(body)
  }
}
