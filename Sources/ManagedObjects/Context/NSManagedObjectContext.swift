public import Foundation
public import ManagedObjectModel
public import ObjectRows

/// An object space in which a program creates, fetches, changes and saves managed objects.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///   let note = Note(context: context)
///   note.text = "Milk"
///   try context.save()
/// }
/// ```
///
/// A context has one object for each row that it knows. It keeps changed objects alive, and others
/// only as long as the program uses them. It reads from and saves to the stores of a coordinator,
/// or a parent context.
///
/// A context and its objects belong to the context's queue. Use `perform(_:)` or
/// `performAndWait(_:)`, or the main actor for a main-queue context. With the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1`, any other use stops the program with a message that
/// names the call. Configuring a context before it has objects, and reading an object's `objectID`,
/// `entity` or `managedObjectContext`, is allowed anywhere.
// Sendable: confined to its queue, except for the registry, which has a lock.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// The kind of queue on which the context works.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  let queue: ExecutionQueue
  let dependencies: StackDependencies

  /// Whether this is not a real context, but a marker that makes an object's initializer leave the
  /// values to its caller.
  @safe @exclusivity(unchecked) final var marksMaterialization = false

  // State that the extensions use.
  /// Whether the properties of the context's objects can be observed.
  var isObserved = false
  /// The registered objects.
  ///
  /// `reset()` replaces the registry.
  @safe @exclusivity(unchecked) final var registry = ObjectRegistry()
  @safe @exclusivity(unchecked) final var changes = ChangeList()
  /// Fetched results controllers that track the context.
  final var eventObservers = ContextEventObservers()
  var source: (any RowSource)?
  var storedParent: NSManagedObjectContext?
  var storedCoordinator: NSPersistentStoreCoordinator?
  var storedUndoManager: UndoManager?
  var undoCheckpoint: (any NSObjectProtocol)?
  /// Deleted objects that an undo may restore.
  var undoableObjects = UndoableObjects()
  /// Objects whose rows must be unchanged at the next save.
  var locked = LockedObjects()
  /// Objects that are kept alive although they have no changes.
  @safe @exclusivity(unchecked) final var retained: Set<NSManagedObject>?
  /// Placeholders that faults without a row refer to, by layout index.
  var placeholderOwners: [RowOwner] = []
  /// The relationships whose faults read the members' rows together with their keys.
  var relationshipsReadWithRows: Set<RelationshipPlace> = []
  @safe @exclusivity(unchecked) final var lastEntity = LastEntity()
  @safe @exclusivity(unchecked) final var lastFetched: LastFetched?
  /// The objects that an incremental store returned for the current fetch.
  ///
  /// They stay alive until the fetch has registered its results, so that they keep their values.
  var heldAnswers: [Any] = []
  /// The stores that new objects were assigned to, by key.
  var assignedStores: [Int64: UInt16] = [:]
  var activity = ContextActivity.idle
  /// A counter that changes when rows that were read before may be older than the objects.
  ///
  /// It counts saves, merges, resets, refreshes, changes of the query generation, and adoptions of
  /// a parent's keys.
  var moment = 0
  var reads = FailedReads()
  var merging = AutomaticMerging()
  /// The child contexts, which are notified of saves.
  let contextObservers = ContextObservers()
  /// The permanent keys of saved objects, for child contexts.
  let aliases = KeyAliases()
  /// The number of the parent's aliases that were adopted.
  var seenAliases = 0

  /// Whether saves skip validation.
  ///
  /// Imported values were valid at their origin and must not be rejected.
  package final var savesUnvalidated = false

  /// Called during a save for each object that a hook, or an observer of the save's start, has
  /// changed.
  package final var hookListener: ((NSManagedObject) -> Void)?

  /// The context's name, which appears in logs and in persistent history.
  open var name: String?

  /// Custom values that the program keeps with the context.
  public let userInfo = NSMutableDictionary()

  /// The author of the context's changes, which persistent history records.
  open var transactionAuthor: String?

  /// The policy that resolves conflicts when a save finds rows that were changed elsewhere: an
  /// `NSMergePolicy`.
  open var mergePolicy: Any = NSMergePolicy.error

  /// Whether delete rules are applied at the end of each event, or only before a save.
  open var propagatesDeletesAtEndOfEvent = true

  /// Whether a fault whose row no longer exists becomes a deleted object.
  ///
  /// If not, firing it stops the program.
  open var shouldDeleteInaccessibleFaults = true

  /// The maximum age, in seconds, of a cached row that may fulfill a fault.
  ///
  /// A negative number, the default, allows any age. With 0, every fault that has no row yet reads
  /// it from the store. A row's age counts from when any context of the coordinator read or saved
  /// it.
  open var stalenessInterval: TimeInterval = -1

  /// Creates a context without a coordinator or a parent.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    dependencies = StackDependencies.current
    queue = Self.makeQueue(concurrencyType, dependencies)
    super.init()
    registry.open(for: self)
  }

  /// Creates a context without a coordinator or a parent.
  public convenience init(_ type: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: type)
  }

  deinit {
    // The notification center retains the undo manager, whose actions retain changed objects.
    if let undoCheckpoint { NotificationCenter.default.removeObserver(undoCheckpoint) }
    storedUndoManager?.removeAllActions(withTarget: self)
    releaseObjects()
  }

  // MARK: Row source

  /// The coordinator whose stores the context uses.
  ///
  /// A child context returns its parent's. If a context gets another coordinator or parent, it
  /// forgets its objects, as `reset()` does.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { storedParent?.persistentStoreCoordinator ?? storedCoordinator }
    set { connect(to: newValue) }
  }

  /// The context that this one reads from and saves to, instead of a coordinator.
  open var parent: NSManagedObjectContext? {
    get { storedParent }
    set { connect(toParent: newValue) }
  }

  /// Whether the context automatically merges changes that its parent, or another context of the
  /// coordinator, saves.
  open var automaticallyMergesChangesFromParent: Bool {
    get { merging.isOn }
    set { setAutomaticMerging(newValue) }
  }

  // MARK: Objects

  /// Whether the context keeps unchanged objects alive too.
  open var retainsRegisteredObjects: Bool {
    get { retained != nil }
    set { retained = newValue ? retained ?? Set(registry.objects) : nil }
  }

  /// The objects that are registered with the context.
  open var registeredObjects: Set<NSManagedObject> {
    requireAccess("registeredObjects was read")
    return Set(registry.objects)
  }

  /// The objects that the next save will insert.
  open var insertedObjects: Set<NSManagedObject> {
    requireAccess("insertedObjects was read")
    return Set(changes.objects(.insertion))
  }

  /// The objects whose changes the next save will write.
  open var updatedObjects: Set<NSManagedObject> {
    requireAccess("updatedObjects was read")
    return Set(changes.objects(.update))
  }

  /// The objects that the next save will delete.
  open var deletedObjects: Set<NSManagedObject> {
    requireAccess("deletedObjects was read")
    return Set(changes.objects(.deletion))
  }

  /// Whether the context has unsaved changes.
  open var hasChanges: Bool {
    requireAccess("hasChanges was read")
    return !changes.isEmpty
  }

  /// Returns the object with the given identifier, whether or not its row exists.
  ///
  /// This method reads nothing. If the object is not registered, it is a fault. If the row may not
  /// exist, use `existingObject(with:)`.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject { fault(for: objectID) }

  /// Returns the object with the given identifier if it is registered with the context.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    knownObject(for: objectID)
  }

  /// Returns the object with the given identifier, and checks that its row exists if the object is
  /// a fault.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` if there is no such row.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try presentObject(for: objectID)
  }

  /// Registers an object to be inserted by the next save.
  open func insert(_ object: NSManagedObject) { insertObject(object) }

  /// Marks an object to be deleted by the next save.
  ///
  /// The delete rules of its relationships are applied at the end of the event.
  open func delete(_ object: NSManagedObject) { deleteObject(object) }

  /// Chooses the store in which a new object will be saved.
  ///
  /// By default it is the first writable store whose configuration contains the entity.
  open func assign(_ object: Any, to store: NSPersistentStore) { assignObject(object, to: store) }

  /// Gives new objects their permanent identifiers without saving them.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try makeIdentifiersPermanent(objects)
  }

  /// Whether the properties of the context's objects can be observed with
  /// `withObservationTracking`, `Observations`, and code built on these.
  ///
  /// This property is Parhelion's addition. The default is false, because observation makes reading
  /// and setting properties slower.
  open var tracksObservation: Bool {
    get { isObserved }
    set { setObservation(newValue) }
  }

  // MARK: Values

  /// Discards an object's values, so that the next access loads the newest ones.
  ///
  /// If `flag` is true, the object's changes are applied to the newest values. If it is false, they
  /// are lost.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshObject(object, mergingChanges: flag)
  }

  /// Refreshes all objects and keeps their changes.
  open func refreshAllObjects() { refreshEveryObject() }

  /// Forgets all objects and all changes.
  ///
  /// Objects that are still in use lose their context. They keep their identifiers and loaded
  /// attributes, their relationships are empty, and changes to them are not saved. Fetch the
  /// objects again, or find them by their identifiers.
  ///
  /// Objects of a batched fetch whose batch was not loaded stay registered: Core Data's batched
  /// arrays also load batches after a reset.
  open func reset() {
    forgetEverything()
    advanceGeneration()
  }

  /// Decides what happens if an object's row no longer exists.
  ///
  /// If the method returns true, the object counts as deleted and has no values. If it returns
  /// false, the program stops.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool { shouldDeleteInaccessibleFaults }

  // MARK: Changes

  /// Ends the current event: applies delete rules, posts the change notification, and registers the
  /// undo action.
  ///
  /// This happens automatically at the end of `perform(_:)`, before a fetch, and before a save.
  open func processPendingChanges() { endEvent() }

  /// Saves the changes to the stores or to the parent context.
  ///
  /// - Throws: A validation error, a conflict, or a store's error. In that case nothing was saved,
  ///   all changes remain, and new objects keep their temporary identifiers. The one exception: if
  ///   a store fails while it is written, stores that were written before it stay saved.
  open func save() throws { try saveChanges() }

  /// Discards all unsaved changes.
  open func rollback() { dropChanges() }

  /// Makes the next save fail if the object's row was changed elsewhere.
  ///
  /// The save checks the row even if nothing else is saved, and gives the row a new version.
  open func detectConflicts(for object: NSManagedObject) { lock(object) }

  // MARK: Undoing

  /// The undo manager that records the changes of events.
  ///
  /// The default is nil.
  open var undoManager: UndoManager? {
    get { storedUndoManager }
    set { setUndoManager(newValue) }
  }

  /// Undoes the undo manager's last group of changes.
  open func undo() { undoEvent() }

  /// Redoes the changes that were undone last.
  open func redo() { redoEvent() }

  // MARK: Merging

  /// Merges the changes that another context of the same coordinator saved.
  open func mergeChanges(fromContextDidSave notification: Notification) { mergeSave(notification) }

  /// Merges changes that were saved elsewhere, given by identifiers or their URIs.
  ///
  /// The keys are those of the save notifications.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    mergeRemoteSave(changeNotificationData, into: contexts)
  }

  // MARK: Requests

  /// Returns the objects, identifiers, dictionaries or counts that a request asks for.
  ///
  /// Results include unsaved changes, unless the request excludes them. Dictionaries always come
  /// from the stores alone.
  open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    let plan = try FetchPlan(request.specification, limitedTo: request.limitedToStores, in: self)
    return try results(of: plan, as: T.self)
  }

  /// Returns the number of objects that a request matches.
  open func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    try count(request.specification, limitedTo: request.limitedToStores)
  }

  /// Executes a request of any kind.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try executeRequest(request)
  }

  // MARK: Queue

  /// Runs a block asynchronously on the context's queue.
  ///
  /// The block's changes are one event.
  open func perform(_ block: @escaping @Sendable () -> Void) { performLater(block) }
}
