public import Foundation
public import ManagedObjectModel
public import ObjectRows

/// An object whose properties are described by an entity of a managed object model.
///
/// An object lives in a context, which tracks its changes and saves them. Its properties are read
/// and set through generated accessors or by key. Setting a relationship also sets the inverse one
/// of the other object.
///
/// ```
///                 first access                     change
///   fault ───────────────────────▶ clean ───────────────────▶ changed
///   no values of its own           a row on a shared page     a row of its own, the page kept as what was committed
///     ▲                              │  ▲                        │
///     └──────── refresh, reset ──────┘  └───── save, rollback ───┘
/// ```
///
/// An object belongs to the queue of its context: pass its `objectID` to others.
///
/// Objects that are related both ways keep each other alive once both relationships were followed.
/// Refreshing one of them lets go.
@safe
open class NSManagedObject: NSObject, NSFetchRequestResult {
  /// The current values; the layout's empty row while there are none.
  @safe @exclusivity(unchecked) @usableFromInline final var row: RowReference
  /// What keeps the row: a page, the object's own state, or nothing but the layout.
  ///
  /// It is nil only inside of initialisers.
  @safe @exclusivity(unchecked) @usableFromInline final var rowOwner: RowOwner?
  /// The registry of the object's context, through which it reaches the context.
  ///
  /// The object holds it, and counts that by itself, so that looking at it counts nothing: see
  /// `registry`.
  @safe @exclusivity(unchecked) final var heldRegistry: Unmanaged<ObjectRegistry>?
  /// The key of the object's row; negative while the object was never saved.
  @safe @exclusivity(unchecked) final var key: Int64
  @safe @exclusivity(unchecked) @usableFromInline final var flags: ObjectFlags
  /// The number of the object's store in its coordinator.
  @safe @exclusivity(unchecked) final var storeNumber: UInt16

  /// The number of no store: the object was not saved and not assigned to one.
  static let noStore = UInt16.max

  /// Creates an object of an entity and inserts it into a context.
  ///
  /// Its attributes have the defaults of the model. Without a context it lives on its own until
  /// `insert(_:)`.
  ///
  /// - Precondition: The entity is not abstract.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    storeNumber = Self.noStore
    flags = []
    key = 0
    row = .nowhere
    super.init()
    // Objects that stand for rows get their values from the initialiser that called this one.
    if Materialization.isMeant(entity, context) { return }
    becomeNew(context?.layout(of: entity) ?? .layout(of: entity), in: context)
  }

  /// Creates an object of the entity that this class represents, and inserts it.
  ///
  /// It is required, so that generic code can create objects: `T(context: context)`. A subclass
  /// that declares it anew marks it `required convenience`.
  ///
  /// - Precondition: The context's model has exactly one entity of this class, or one with a model
  ///   linked into the process.
  public required convenience init(context: NSManagedObjectContext) {
    guard Self._hasGeneratedBody else {
      self.init(entity: context.entity(of: Self.self), insertInto: context)
      return
    }
    // Counting the entity costs as much as making the object, and a generated body does not look at
    // it.
    self.init(entity: Materialization.entity, insertInto: nil)
    becomeNew(context.layout(ofObjectsOf: Self.self), in: context)
  }

  /// Creates an object in the way that this library needs, through the initialiser that subclasses
  /// override.
  ///
  /// Every subclass inherits it, so that it can be called where only the class is known at run
  /// time.
  public required convenience init(_materialise materialisation: _Materialisation) {
    self.init(entity: materialisation.entity, insertInto: materialisation.mark)
    row = materialisation.row
    rowOwner = materialisation.owner
    registry = materialisation.registry
    key = materialisation.key
    storeNumber = materialisation.storeNumber
    flags = materialisation.flags
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

  /// The context that the object is registered in, or nil.
  open var managedObjectContext: NSManagedObjectContext? { context }

  /// The entity that describes the object.
  open var entity: NSEntityDescription { layout.entity }

  // MARK: Entity

  /// The entity that this class represents, in the models that are linked into the process.
  ///
  /// - Precondition: A model with an entity of this class is linked into the process.
  open class func entity() -> NSEntityDescription {
    RegisteredModels.shared.entity(of: self)
  }

  /// A request for all objects of the entity that this class represents.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity()
    return request
  }

  /// Whether the body of this very class was generated, so that it overrides no hook and no
  /// initialiser.
  ///
  /// A class that a program derives from a generated one has a body of its own.
  ///
  /// For generated code.
  open class var _hasGeneratedBody: Bool { false }

  // MARK: Values by key

  /// The value of a property.
  ///
  /// Numbers come as `NSNumber`, to-many relationships as `NSSet` or `NSOrderedSet`.
  open func value(forKey key: String) -> Any? {
    guard let ordinal = layout.ordinal(of: key) else { return plainValue(key) }
    willAccessValue(forKey: key)
    defer { didAccessValue(forKey: key) }
    return currentValue(ordinal)
  }

  /// Sets the value of a property, and the inverse of a relationship.
  ///
  /// - Precondition: The value is of the property's type.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else {
      return setValue(value, forUndefinedKey: key)
    }
    willChangeValue(forKey: key)
    setCurrentValue(value, ordinal)
    didChangeValue(forKey: key)
  }

  /// The value at the end of a path of property names and collection operators.
  ///
  /// A key of many objects gives the array of their values.
  open func value(forKeyPath keyPath: String) -> Any? {
    valueAtEnd(of: keyPath)
  }

  /// Sets the property that ends a path, in the object that the path before it leads to.
  ///
  /// Nothing happens where the path leads to no object. An element of a composite attribute can be
  /// set in this way.
  open func setValue(_ value: Any?, forKeyPath keyPath: String) {
    setValueAtEnd(of: keyPath, to: value)
  }

  /// Called for a key that names no property of the entity.
  ///
  /// Override it to give such keys a meaning. This one stops the program.
  open func value(forUndefinedKey key: String) -> Any? {
    stopForUndefined(key)
  }

  /// Called to set a key that names no property of the entity.
  ///
  /// Override it to give such keys a meaning. This one stops the program.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    stopForUndefined(key)
  }

  /// The values of some properties, by key; `NSNull` for a property without a value.
  open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(
      keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
  }

  /// Sets properties by key, in the order of the keys' names; `NSNull` takes a value away.
  open func setValuesForKeys(_ values: [String: Any]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
  }

  /// The members of a to-many relationship as a set; changing it changes the relationship.
  open func mutableSetValue(forKey key: String) -> NSMutableSet { relationshipSet(key) }

  /// The members of an ordered relationship as an ordered set; changing it changes the
  /// relationship.
  open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    relationshipOrderedSet(key)
  }

  // MARK: Primitive values

  /// The stored value of a property.
  ///
  /// Use it in the accessors that you write yourself, between `willAccessValue(forKey:)` and
  /// `didAccessValue(forKey:)`.
  open func primitiveValue(forKey key: String) -> Any? {
    guard let ordinal = layout.ordinal(of: key) else { stopForUndefined(key) }
    return currentValue(ordinal)
  }

  /// Sets the stored value of a property and nothing else.
  ///
  /// Use it in the accessors that you write yourself, between `willChangeValue(forKey:)` and
  /// `didChangeValue(forKey:)`; only these count the change and set the inverse of a relationship.
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else { stopForUndefined(key) }
    setPrimitive(value, ordinal)
  }

  // MARK: Changes

  /// Whether the object is inserted, changed or deleted and not yet saved.
  open var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }

  /// Whether something differs that a store keeps.
  open var hasPersistentChangedValues: Bool { differsFromStore }

  /// The properties whose values differ from those last fetched or saved, with their current
  /// values; no transient ones.
  ///
  /// A property without a value has `NSNull`.
  open func changedValues() -> [String: Any] { valuesChangedSinceSave }

  /// The properties that were changed since pending changes were last processed, with the values
  /// they had before; no transient ones.
  open func changedValuesForCurrentEvent() -> [String: Any] { valuesBeforeEvent }

  /// The values that properties had when the object was last fetched or saved; all properties' for
  /// nil.
  ///
  /// A property without a value has `NSNull`.
  open func committedValues(forKeys keys: [String]?) -> [String: Any] { savedValues(keys) }

  /// Whether a change of a property that the model does not describe makes the context take the
  /// object for changed.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

  // MARK: Relationships

  /// Whether a relationship was not followed yet.
  open func hasFault(forRelationshipNamed key: String) -> Bool { isRelationshipFault(key) }

  /// The identifiers of the objects that a relationship leads to.
  open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    identifiersOfRelated(key)
  }

  // MARK: Notices

  /// Called before a property is read: brings in the values of a fault.
  open func willAccessValue(forKey key: String?) {
    if flags.contains(.checked) { context?.requireAccess("\(entityName).\(key ?? "?") was read") }
    prepareAccess()
    if flags.contains(.observed), let ordinal = key.flatMap(layout.ordinal(of:)) {
      noteObservedAccess(ordinal)
    }
  }

  /// Called after a property was read.
  open func didAccessValue(forKey key: String?) {}

  /// Called before a property is set: counts the change.
  open func willChangeValue(forKey key: String) {
    beginChange(ofKey: key)
  }

  /// Called after a property was set.
  ///
  /// Where the property is a relationship that was set by its primitive value, the inverse follows
  /// here.
  open func didChangeValue(forKey key: String) {
    endChange(ofKey: key)
  }

  // MARK: Life cycle

  /// Called once in an object's life, when it is first inserted into a context.
  ///
  /// Override it to set initial values; call the superclass's.
  open func awakeFromInsert() {}

  /// Called when an object's values were brought in.
  ///
  /// Override it to compute transient values; changes made here are not counted.
  open func awakeFromFetch() {}

  /// Called after undo, redo or another event put former values in.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

  /// Called before a save, until nothing changes any more.
  ///
  /// Compare before you set a property here: each change leads to another call.
  open func willSave() {}

  /// Called after a save.
  open func didSave() {}

  /// Called when the object is about to be deleted.
  open func prepareForDeletion() {}

  /// Called before the object loses its values.
  open func willTurnIntoFault() {}

  /// Called after the object lost its values.
  open func didTurnIntoFault() {}

  // MARK: Validation

  /// Checks a value for a property, and may replace it by a valid one.
  ///
  /// Override it for checks of your own; call the superclass's.
  open func validateValue(_ value: inout Any?, forKey key: String) throws {
    guard let ordinal = layout.ordinal(of: key) else { stopForUndefined(key) }
    try PropertyValidation(object: self, ordinal: ordinal).check(value)
  }

  /// Checks an object that is about to be inserted.
  ///
  /// Override it for checks across properties; call the superclass's.
  open func validateForInsert() throws { try validateProperties() }

  /// Checks an object whose changes are about to be saved.
  open func validateForUpdate() throws { try validateProperties() }

  /// Checks an object that is about to be deleted.
  open func validateForDelete() throws { try validateDeletion() }

  // MARK: Identity

  /// One for each object; two objects are equal only where they are the same one.
  ///
  /// Do not override it, nor `isEqual(_:)`: contexts and relationships rely on it.
  open override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }

  // MARK: Description

  /// The object's class, entity, identifier and, where they are at hand, its values.
  open override var description: String {
    flags.contains(.probe) ? "<\(type(of: self)): probe>" : summary
  }
}

@available(
  *, unavailable,
  message: "A managed object belongs to the queue of its context. Pass its objectID instead."
)
extension NSManagedObject: Sendable {}
