public import Foundation
public import ManagedObjectModel
public import ObjectRows

/// The place in which managed objects live, are changed together, and are saved.
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
/// A context has one object for each row that it knows. It keeps changed objects alive, the others
/// only for as long as somebody uses them. Its rows come from the stores of a coordinator, or from
/// a parent context, where its changes go too.
///
/// Everything that a context does, and everything that its objects do, belongs to the context's
/// queue: use `perform(_:)` or `performAndWait(_:)`, or the main actor for a context of the main
/// queue. With the launch argument `-com.apple.CoreData.ConcurrencyDebug 1` anything else stops the
/// program with a sentence that names the call. Setting a context up, before it has objects, and
/// asking an object for its `objectID`, `entity` or `managedObjectContext` are allowed everywhere.
// Sendable: confined to its queue, but for the registry, which has a lock.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// On which queue the context does its work.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  let queue: ExecutionQueue
  let dependencies: StackDependencies

  /// Whether this is not a context but the mark that tells an object's initialiser to leave the
  /// values to its caller.
  @safe @exclusivity(unchecked) final var marksMaterialisation = false

  // What the extensions work with.
  /// Whether the context's objects tell who observes them.
  var isObserved = false
  /// The objects; another one after `reset()`.
  @safe @exclusivity(unchecked) final var registry = ObjectRegistry()
  @safe @exclusivity(unchecked) final var changes = ChangeList()
  var source: (any RowSource)?
  var storedParent: NSManagedObjectContext?
  var storedCoordinator: NSPersistentStoreCoordinator?
  var storedUndoManager: UndoManager?
  var undoCheckpoint: (any NSObjectProtocol)?
  /// Objects that an undo may bring back.
  var departed = UndoableObjects()
  /// Objects whose rows must not have changed when the next save comes.
  var locked: [NSManagedObject] = []
  /// Objects that are kept alive although they have no changes.
  @safe @exclusivity(unchecked) final var retained: [NSManagedObject]?
  /// What keeps the rows of faults that have none, by the index of the layout.
  var bareOwners: [RowOwner] = []
  @safe @exclusivity(unchecked) final var lastEntity = LastEntity()
  @safe @exclusivity(unchecked) final var lastFetched: LastFetched?
  /// The stores that new objects were assigned to.
  var assignedStores: [Int64: UInt16] = [:]
  var activity = ContextActivity.idle
  var merging = AutomaticMerging()
  /// The children that hear of saves.
  let audience = ContextObservers()
  /// The keys that objects got, for children.
  let aliases = KeyAliases()
  /// How many of the parent's aliases were taken over.
  var seenAliases = 0

  /// Whether saves leave out validation: what comes from elsewhere was valid there, and must not be
  /// kept out.
  package final var savesUnvalidated = false

  /// Is told, within a save, of each object that the program's hooks have changed, or those who
  /// heard that it begins.
  package final var hookListener: ((NSManagedObject) -> Void)?

  /// A name, for logs and for the history.
  open var name: String?

  /// Whatever a program wants to keep with the context.
  public let userInfo = NSMutableDictionary()

  /// Who makes the changes that the context saves, for the history.
  open var transactionAuthor: String?

  /// What happens when a save meets rows that somebody else changed: an `NSMergePolicy`.
  open var mergePolicy: Any = NSMergePolicy.error

  /// Whether the consequences of a deletion are seen to at the end of the event, or only before a
  /// save.
  open var propagatesDeletesAtEndOfEvent = true

  /// Whether a fault whose row is gone counts as deleted, instead of stopping the program.
  open var shouldDeleteInaccessibleFaults = true

  /// How old a row in memory may be, in seconds, and still be used for a fault.
  ///
  /// A negative number, the default, allows any age; with 0 every fault that has no row yet is read
  /// anew. The age counts from when a row was read or saved, by any context of the coordinator.
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

  deinit { releaseObjects() }

  // MARK: Where rows come from

  /// The coordinator whose stores the context reads and writes: that of the parent, where there is
  /// one.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { storedParent?.persistentStoreCoordinator ?? storedCoordinator }
    set { connect(to: newValue) }
  }

  /// The context that this one reads from and saves into, instead of a coordinator.
  open var parent: NSManagedObjectContext? {
    get { storedParent }
    set { connect(toParent: newValue) }
  }

  /// Whether changes that are saved in the parent, or by other contexts of the coordinator, are
  /// taken over by themselves.
  open var automaticallyMergesChangesFromParent: Bool {
    get { merging.isOn }
    set { setAutomaticMerging(newValue) }
  }

  // MARK: Objects

  /// Whether objects without changes are kept alive too.
  open var retainsRegisteredObjects: Bool {
    get { retained != nil }
    set { retained = newValue ? retained ?? registry.objects : nil }
  }

  /// The objects that the context knows.
  open var registeredObjects: Set<NSManagedObject> {
    requireAccess("registeredObjects was read")
    return Set(registry.objects)
  }

  /// The objects that a save will insert.
  open var insertedObjects: Set<NSManagedObject> {
    requireAccess("insertedObjects was read")
    return Set(changes.objects(.insertion))
  }

  /// The objects whose changes a save will write.
  open var updatedObjects: Set<NSManagedObject> {
    requireAccess("updatedObjects was read")
    return Set(changes.objects(.update))
  }

  /// The objects that a save will delete.
  open var deletedObjects: Set<NSManagedObject> {
    requireAccess("deletedObjects was read")
    return Set(changes.objects(.deletion))
  }

  /// Whether there is anything to save.
  open var hasChanges: Bool {
    requireAccess("hasChanges was read")
    return !changes.isEmpty
  }

  /// The object of an identifier, whether or not its row exists.
  ///
  /// It reads nothing: the object is a fault unless the context knows it. Use
  /// `existingObject(with:)` where the row may be gone.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject { fault(for: objectID) }

  /// The object of an identifier, if the context knows it.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    knownObject(for: objectID)
  }

  /// The object of an identifier, whose row is looked for where the object is a fault.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` where there is no such row.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try presentObject(for: objectID)
  }

  /// Makes an object one that the next save inserts.
  open func insert(_ object: NSManagedObject) { insertObject(object) }

  /// Marks an object as one that the next save deletes.
  ///
  /// Its relationships' delete rules are applied at the end of the event.
  open func delete(_ object: NSManagedObject) { deleteObject(object) }

  /// Chooses the store in which a new object will be saved.
  ///
  /// Without a choice it is the first store that can be written and whose configuration has the
  /// entity.
  open func assign(_ object: Any, to store: NSPersistentStore) { assignObject(object, to: store) }

  /// Gives new objects the identifiers that they keep, without saving them.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try makeIdentifiersPermanent(objects)
  }

  /// Whether the properties of the context's objects can be observed: with
  /// `withObservationTracking`, by `Observations`, and by what is built on these.
  ///
  /// Parhelion's addition.
  ///
  /// It is off by default, since reading and setting properties costs more with it.
  open var tracksObservation: Bool {
    get { isObserved }
    set { setObservation(newValue) }
  }

  // MARK: Values

  /// Lets go of an object's values, so that the newest ones come in with the next access.
  ///
  /// With merging, the object's changes are put on the newest values; without, they are lost.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshObject(object, mergingChanges: flag)
  }

  /// Refreshes all objects and keeps their changes.
  open func refreshAllObjects() { refreshEveryObject() }

  /// Forgets all objects and all changes.
  ///
  /// Objects that are still in use belong to no context from then on, as after the end of a
  /// context: they keep their identifiers and the attributes that were read, their relationships
  /// lead nowhere, and faults stay faults without values. Changes of them are saved nowhere. Fetch
  /// the objects again, or find them by their identifiers.
  ///
  /// Objects of a fetch with a `fetchBatchSize` whose batch was not read yet stay objects of the
  /// context, as an array that Core Data fills in batches reads its next batch after a reset, too.
  open func reset() { forgetEverything() }

  /// Decides what happens when an object's row is not there any more.
  ///
  /// Where it returns true, the object counts as deleted and has no values. Where it returns false,
  /// the program stops.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool { shouldDeleteInaccessibleFaults }

  // MARK: Changes

  /// Ends the current event: sees to the consequences of deletions, tells observers, and makes the
  /// event undoable.
  ///
  /// It happens by itself at the end of `perform(_:)`, before a fetch and before a save.
  open func processPendingChanges() { endEvent() }

  /// Saves: in the stores, or in the parent context.
  ///
  /// - Throws: What validation, conflicts or a store say against it. Nothing was saved then, all
  ///   changes are there, and new objects have the temporary identifiers that they had.
  open func save() throws { try saveChanges() }

  /// Drops all changes since the last save.
  open func rollback() { dropChanges() }

  /// Marks an object, so that the next save fails where somebody else has changed its row.
  ///
  /// That save looks for it even where nothing else is to be saved. The row counts as changed by
  /// it.
  open func detectConflicts(for object: NSManagedObject) { lock(object) }

  // MARK: Undoing

  /// What undoes the changes of events; nil, the default, for nothing.
  open var undoManager: UndoManager? {
    get { storedUndoManager }
    set { setUndoManager(newValue) }
  }

  /// Undoes the changes of the last event.
  open func undo() { undoEvent() }

  /// Does again what was undone last.
  open func redo() { redoEvent() }

  // MARK: Merging

  /// Takes over what another context of the same coordinator saved.
  open func mergeChanges(fromContextDidSave notification: Notification) { mergeSave(notification) }

  /// Takes over what was saved elsewhere, named by identifiers or their URIs.
  ///
  /// The keys are those of the notifications of saves.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    mergeRemoteSave(changeNotificationData, into: contexts)
  }

  // MARK: Requests

  /// The objects, identifiers, dictionaries or counts that a request asks for.
  ///
  /// Changes that are not saved yet count, unless the request says otherwise: the results are what
  /// they would be after a save. Dictionaries always come from the stores alone.
  open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    let plan = try FetchPlan(request.specification, limitedTo: request.limitedToStores, in: self)
    return try results(of: plan, as: T.self)
  }

  /// How many objects a request finds.
  open func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    try count(request.specification, limitedTo: request.limitedToStores)
  }

  /// Carries out a request of any kind.
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try executeRequest(request)
  }

  // MARK: The queue

  /// Runs a block on the context's queue, later.
  ///
  /// The block's changes are one event.
  open func perform(_ block: @escaping @Sendable () -> Void) { performLater(block) }
}
