public import Foundation
public import ManagedObjectModel
public import ObjectRows

/// An object whose properties are described by an entity of a managed object model.
///
/// An object lives in a context, which tracks and saves its changes. Use generated accessors or
/// key-value coding to read and set its properties. Setting a relationship also updates the inverse
/// relationship.
///
/// ```
///               first access                    change
///   fault ─────────────────────▶ clean ───────────────────▶ changed
///   no values                    a row on a shared page     a private row and the committed page
///     ▲                            │  ▲                        │
///     └─────── refresh, reset ─────┘  └───── save, rollback ───┘
/// ```
///
/// An object belongs to the queue of its context. To use it on another queue, pass its `objectID`.
///
/// Objects that reference each other form a reference cycle once both relationships were loaded.
/// Refreshing one of them breaks the cycle.
@safe
open class NSManagedObject: NSObject, NSFetchRequestResult {
  /// The current row; the layout's empty row if there is none.
  @safe @exclusivity(unchecked) @usableFromInline final var row: RowReference
  /// The owner of the row: a page, the object's private state, or a placeholder that knows only the
  /// layout.
  ///
  /// It is nil only inside initializers.
  @safe @exclusivity(unchecked) @usableFromInline final var rowOwner: RowOwner?
  /// The registry of the object's context, through which the object reaches the context.
  ///
  /// The object retains it manually, so that reading it does not change the count. See `registry`.
  @safe @exclusivity(unchecked) final var heldRegistry: Unmanaged<ObjectRegistry>?
  /// The key of the object's row.
  ///
  /// It is negative until the object is first saved.
  @safe @exclusivity(unchecked) final var key: Int64
  @safe @exclusivity(unchecked) @usableFromInline final var flags: ObjectFlags
  /// The number of the object's store in its coordinator.
  @safe @exclusivity(unchecked) final var storeNumber: UInt16

  /// The number that means no store: the object was neither saved nor assigned to a store.
  static let noStore = UInt16.max

  /// Creates an object of an entity and inserts it into a context.
  ///
  /// Its attributes have the model's default values. Without a context, the object stays
  /// unregistered until `insert(_:)`.
  ///
  /// - Precondition: The entity is not abstract.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    storeNumber = Self.noStore
    flags = []
    key = 0
    row = .nowhere
    super.init()
    // If the object is created for a row, the calling initializer sets the values.
    if Materialization.isMarked(entity, context) { return }
    becomeNew(context?.layout(of: entity) ?? .layout(of: entity), in: context)
  }

  /// Creates an object of the entity that this class represents, and inserts it into a context.
  ///
  /// The initializer is required, so that generic code can create objects: `T(context: context)`. A
  /// subclass that redeclares it marks it `required convenience`.
  ///
  /// - Precondition: The context's model, or a model that is linked into the process, has exactly
  ///   one entity of this class.
  public required convenience init(context: NSManagedObjectContext) {
    guard Self._hasGeneratedBody else {
      self.init(entity: context.entity(of: Self.self), insertInto: context)
      return
    }
    // Retaining the entity costs as much as creating the object, and a generated body ignores it.
    self.init(entity: Materialization.entity, insertInto: nil)
    becomeNew(context.layout(ofObjectsOf: Self.self), in: context)
  }

  /// Creates an object for this library, through the initializer that subclasses override.
  ///
  /// Every subclass inherits this initializer, so this library can call it for a class that is
  /// known only at run time.
  public required convenience init(_materialize materialization: _Materialization) {
    self.init(entity: materialization.entity, insertInto: materialization.mark)
    row = materialization.row
    rowOwner = materialization.owner
    registry = materialization.registry
    key = materialization.key
    storeNumber = materialization.storeNumber
    flags = materialization.flags
  }

  deinit {
    guard let heldRegistry else { return }
    if flags.contains(.registered) {
      unsafe heldRegistry._withUnsafeGuaranteedRef { $0.remove(self) }
    }
    unsafe heldRegistry.release()
  }

  /// The layout of the object's row.
  @inlinable final var layout: RowLayout { owner.layout }

  @inlinable final var owner: RowOwner {
    @inline(__always) get { unsafe rowOwner.unsafelyUnwrapped }
    set { rowOwner = newValue }
  }

  /// The context with which the object is registered, or nil.
  open var managedObjectContext: NSManagedObjectContext? { context }

  /// The object's entity.
  open var entity: NSEntityDescription { layout.entity }

  // MARK: Entity

  /// Returns the entity that this class represents, from the models that are linked into the
  /// process.
  ///
  /// - Precondition: A model with an entity of this class is linked into the process.
  open class func entity() -> NSEntityDescription {
    RegisteredModels.shared.entity(of: self)
  }

  /// Creates a fetch request for the entity that this class represents.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity()
    return request
  }

  /// Whether the body of this class itself was generated, so that it overrides no hook and no
  /// initializer.
  ///
  /// A program's subclass of a generated class has a body of its own.
  ///
  /// For generated code.
  open class var _hasGeneratedBody: Bool { false }

  // MARK: Values by key

  /// Returns the value of a property.
  ///
  /// Numbers are returned as `NSNumber`, and to-many relationships as `NSSet` or `NSOrderedSet`.
  open func value(forKey key: String) -> Any? {
    guard let ordinal = layout.ordinal(of: key) else { return plainValue(key) }
    willAccessValue(forKey: key)
    defer { didAccessValue(forKey: key) }
    return currentValue(ordinal)
  }

  /// Sets the value of a property, and updates the inverse of a relationship.
  ///
  /// - Precondition: The value has the property's type.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else {
      return setValue(value, forUndefinedKey: key)
    }
    willChangeValue(forKey: key)
    setCurrentValue(value, ordinal)
    forgetDestinations(ordinal)
    didChangeValue(forKey: key)
  }

  /// Returns the value at a path of property names and collection operators.
  ///
  /// The value of a key for many objects is an array of their values.
  open func value(forKeyPath keyPath: String) -> Any? {
    valueAtEnd(of: keyPath)
  }

  /// Sets the property at the end of a key path.
  ///
  /// If the keys before it lead to no object, nothing happens. An element of a composite attribute
  /// can be set in this way.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    setValueAtEnd(of: keyPath, to: value)
  }

  /// Called for a key that is not a property of the entity.
  ///
  /// The default implementation stops the program. Override it to support such keys.
  open func value(forUndefinedKey key: String) -> Any? {
    stopForUndefined(key)
  }

  /// Called to set a key that is not a property of the entity.
  ///
  /// The default implementation stops the program. Override it to support such keys.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    stopForUndefined(key)
  }

  /// Returns the values of properties by key, with `NSNull` for missing values.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(
      keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
  }

  /// Sets properties by key, in the order of the keys' names.
  ///
  /// `NSNull` removes a value.
  open func setValuesForKeys(_ values: [String: Any]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// Returns the members of a to-many relationship as a set.
  ///
  /// Changing the set changes the relationship.
  open func mutableSetValue(forKey key: String) -> NSMutableSet { relationshipSet(key) }

  /// Returns the members of an ordered relationship as an ordered set.
  ///
  /// Changing the set changes the relationship.
  open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    relationshipOrderedSet(key)
  }

  // MARK: Primitive values

  /// Returns the primitive value of a property.
  ///
  /// Use it in custom accessors, between `willAccessValue(forKey:)` and `didAccessValue(forKey:)`.
  ///
  /// Between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, the value of a to-many
  /// relationship is an `NSMutableSet` or `NSMutableOrderedSet`. The relationship adopts the
  /// changes of this set. At other times, the value is an `NSSet` or `NSOrderedSet`.
  open func primitiveValue(forKey key: String) -> Any? {
    guard let ordinal = layout.ordinal(of: key) else { stopForUndefined(key) }
    if let set = mutablePrimitiveValue(ordinal) { return set }
    return currentValue(ordinal)
  }

  /// Sets the primitive value of a property and nothing else.
  ///
  /// Use it in custom accessors, between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
  /// Only these record the change and update the inverse of a relationship.
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else { stopForUndefined(key) }
    setPrimitive(value, ordinal)
  }

  // MARK: Changes

  /// Whether the object has unsaved changes, or will be inserted or deleted by the next save.
  open var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }

  /// Whether a persistent property differs from the store.
  open var hasPersistentChangedValues: Bool { differsFromStore }

  /// Returns the values of the persistent properties that changed since the object was last fetched
  /// or saved.
  ///
  /// A missing value is `NSNull`.
  open func changedValues() -> [String: Any] { valuesChangedSinceSave }

  /// Returns the former values of the persistent properties that changed in the current event.
  open func changedValuesForCurrentEvent() -> [String: Any] { valuesBeforeEvent }

  /// Returns the values of properties as last fetched or saved; of all properties for nil.
  ///
  /// A missing value is `NSNull`.
  open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(keys) }

  /// Whether the context ignores changes of properties that the model does not describe.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  // MARK: Relationships

  /// Returns whether a relationship is a fault: its destination is not loaded.
  open func hasFault(forRelationshipNamed key: String) -> Bool { isRelationshipFault(key) }

  /// Returns the identifiers of a relationship's destinations.
  open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    identifiersOfRelated(key)
  }

  // MARK: Change notifications

  /// Called before a property is read.
  ///
  /// The default implementation fires a fault.
  open func willAccessValue(forKey key: String?) {
    if flags.contains(.checked) { context?.requireAccess("\(entityName).\(key ?? "?") was read") }
    prepareAccess()
    if flags.contains(.observed), let ordinal = key.flatMap(layout.ordinal(of:)) {
      notifyAccess(ordinal)
    }
  }

  /// Called after a property was read.
  open func didAccessValue(forKey key: String?) {}

  /// Called before a property is set.
  ///
  /// The default implementation records the change.
  open func willChangeValue(forKey key: String) {
    beginChange(ofKey: key)
  }

  /// Called after a property was set.
  ///
  /// If the primitive value of a relationship was set, the default implementation updates the
  /// inverse.
  open func didChangeValue(forKey key: String) {
    endChange(ofKey: key)
  }

  // MARK: Life cycle

  /// Called once, when the object is first inserted into a context.
  ///
  /// Override it to set initial values, and call `super`.
  open func awakeFromInsert() {}

  /// Called after the object's values were loaded.
  ///
  /// Override it to compute transient values. Changes made here are not recorded. A persistent
  /// value that is set here is saved with the object's next change.
  open func awakeFromFetch() {}

  /// Called after undo, redo or a rollback restored former values, and after a refresh or a merge
  /// policy applied the object's changes to newer values.
  ///
  /// Override it to compute transient values. Changes made here are not recorded.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

  /// Called before a save, repeatedly until it causes no more changes.
  ///
  /// Compare before you set a property here, because each change causes another call.
  open func willSave() {}

  /// Called after a save.
  open func didSave() {}

  /// Called when the object is about to be deleted.
  open func prepareForDeletion() {}

  /// Called before the object becomes a fault.
  open func willTurnIntoFault() {}

  /// Called after the object became a fault.
  open func didTurnIntoFault() {}

  // MARK: Validation

  /// Validates a value for a property, and may replace it with a valid one.
  ///
  /// Override it for custom validation, and call `super`.
  open func validateValue(_ value: inout Any?, forKey key: String) throws {
    guard let ordinal = layout.ordinal(of: key) else { stopForUndefined(key) }
    try PropertyValidation(object: self, ordinal: ordinal).check(value)
  }

  /// Validates an object before it is inserted into a store.
  ///
  /// Override it for validation across properties, and call `super`.
  open func validateForInsert() throws { try validateProperties() }

  /// Validates an object before its changes are saved.
  open func validateForUpdate() throws { try validateProperties() }

  /// Validates an object before it is deleted.
  open func validateForDelete() throws { try validateDeletion() }

  // MARK: Identity

  /// The hash of the object's identity.
  ///
  /// An object equals only itself.
  ///
  /// Do not override it or `isEqual(_:)`, because contexts and relationships rely on them.
  open override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }

  // MARK: Description

  /// The object's class, entity, identifier and, if they are loaded, its values.
  open override var description: String {
    flags.contains(.probe) ? "<\(type(of: self)): probe>" : summary
  }
}

@available(
  *, unavailable,
  message: "A managed object belongs to the queue of its context. Pass its objectID instead."
)
extension NSManagedObject: Sendable {}
