import ManagedObjectModel
import ObjectRows

/// Creates managed objects of a class that is known only at run time.
///
/// One instance serves all rows of a page. Creating objects is the hottest part of a fetch, and a
/// struct would be copied and destroyed with its references.
///
/// For generated code.
@safe
public final class _Materialization {
  let managedObjectClass: NSManagedObject.Type
  /// The entity for the designated initializer.
  ///
  /// Retaining an entity with weak references is slow. A class with a generated body ignores the
  /// entity, so it gets `Materialization.entity`.
  let entity: NSEntityDescription
  /// The marker for the designated initializer, see `Materialization.context`; nil if the entity is
  /// the marker.
  let mark: NSManagedObjectContext?
  let owner: RowOwner
  let registry: ObjectRegistry?
  let storeNumber: UInt16
  let flags: ObjectFlags
  /// The size of an object in bytes, if it can be created without its initializers.
  private let plainBytes: Int?
  /// The row and the key of the next object.
  @safe @exclusivity(unchecked) var row: RowReference
  @safe @exclusivity(unchecked) var key: Int64

  init(
    _ managedObjectClass: NSManagedObject.Type, owner: RowOwner, row: RowReference, key: Int64,
    storeNumber: UInt16,
    flags: ObjectFlags, plainBytes: Int? = nil, context: NSManagedObjectContext?
  ) {
    self.plainBytes = plainBytes
    self.managedObjectClass = managedObjectClass
    let ignoresArguments = managedObjectClass._hasGeneratedBody
    entity = ignoresArguments ? Materialization.entity : owner.layout.entity
    mark = ignoresArguments ? nil : Materialization.context
    self.owner = owner
    registry = context?.registry
    self.storeNumber = storeNumber
    self.flags = flags
    self.row = row
    self.key = key
  }

  /// Creates a factory for faults of an owner's rows.
  ///
  /// - Parameter isReady: Whether the objects have their values from the start. Their class must
  ///   have no hooks, because `awakeFromFetch()` is not called.
  static func ofRows(
    _ owner: RowOwner, storeNumber: UInt16, isReady: Bool = false,
    in context: NSManagedObjectContext
  ) -> _Materialization {
    let blueprint = owner.layout.blueprint
    return _Materialization(
      blueprint.managedObjectClass, owner: owner, row: owner.layout.emptyRow, key: 0,
      storeNumber: storeNumber,
      flags: blueprint.flags.union(isReady ? .registered : [.fault, .registered]).union(
        context.flagsOfObjects),
      plainBytes: blueprint.plainBytes, context: context)
  }

  /// Creates an object with the current row.
  func make() -> NSManagedObject {
    hold(for: 1)
    return makeHeld()
  }

  /// Creates an object with another row.
  func make(_ row: RowReference, key: Int64) -> NSManagedObject {
    hold(for: 1)
    return makeHeld(row, key: key)
  }

  /// Retains what `count` objects will reference.
  ///
  /// Create these with `makeHeld`.
  ///
  /// An atomic increment waits until earlier stores, such as the last object's properties, are
  /// visible to other threads. For each of many objects this takes longer than creating it.
  func hold(for count: Int) {
    guard plainBytes != nil, count > 0 else { return }
    PlainObjects.hold(owner, count)
    if let registry { PlainObjects.hold(registry, count) }
  }

  /// Creates one of the objects for which `hold(for:)` was called.
  @inline(__always)
  func makeHeld(_ row: RowReference, key: Int64) -> NSManagedObject {
    (self.row, self.key) = (row, key)
    return makeHeld()
  }

  @inline(__always)
  private func makeHeld() -> NSManagedObject {
    guard let plainBytes else { return managedObjectClass.init(_materialize: self) }
    return PlainObjects.make(managedObjectClass, plainBytes, self)
  }
}

/// Creation of objects for rows, and of probing objects.
///
/// Both use the initializer that subclasses override. A special context or entity as its argument
/// marks such a call; the entity saves retaining a context.
enum Materialization {
  /// The context that makes the designated initializer leave the values to its caller.
  ///
  /// It has no other use.
  static let context = {
    let context = StackDependencies.$current.withValue(.real) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.marksMaterialization = true
    return context
  }()

  /// The entity with the same effect, for a class whose initializer ignores its arguments.
  static let entity = NSEntityDescription()

  /// The layout of an entity without properties.
  static let probeLayout = RowLayout(entity: entity, index: 0, rootIndex: 0)

  /// Whether the designated initializer's arguments say that its caller sets the values.
  @inline(__always)
  static func isMarked(_ entity: NSEntityDescription, _ context: NSManagedObjectContext?) -> Bool {
    if let context { return context.marksMaterialization }
    return ObjectIdentifier(entity) == entityIdentifier
  }

  /// Comparing identifiers avoids retaining the entity.
  private static let entityIdentifier = ObjectIdentifier(entity)
}

extension NSManagedObject {
  /// Makes this a new object with the model's default values, registered with the context if there
  /// is one.
  func becomeNew(_ layout: RowLayout, in context: NSManagedObjectContext?) {
    becomeNew(layout, TemporaryKeys.next(for: context))
    guard let context else { return }
    context.insertNew(self)
    awakeFromInsert()
  }

  private func becomeNew(_ layout: RowLayout, _ newKey: Int64) {
    let blueprint = layout.blueprint
    precondition(
      !blueprint.isAbstract,
      "The entity \(layout.entity.name ?? "without a name") is abstract: it has no objects. Create one of a subentity."
    )
    let state = ObjectState(layout: layout, committed: nil)
    row = state.makeOwnRow(copying: blueprint.defaults)
    key = newKey
    row.key = key
    owner = state
    flags = blueprint.flags(of: type(of: self)).union(.stateful)
  }
}
