import ManagedObjectModel
import ObjectRows

/// What is needed to create managed objects of a class that is known only at run time.
///
/// It is one object for all rows of a page rather than a value for each of them: creating objects
/// is the hottest of what a fetch does, and a value would be copied and destroyed with all that it
/// refers to.
///
/// For generated code.
@safe
public final class _Materialisation {
  let managedObjectClass: NSManagedObject.Type
  /// What the designated initialiser is given: it counts, which for an entity that others refer to
  /// weakly costs as much as all the rest, so that a class that looks at nothing gets one that
  /// nobody knows.
  let entity: NSEntityDescription
  /// What tells the designated initialiser: see `Materialization.context`; nil where the entity
  /// tells it.
  let mark: NSManagedObjectContext?
  let owner: RowOwner
  let registry: ObjectRegistry?
  let storeNumber: UInt16
  let flags: ObjectFlags
  /// The bytes of an object, where it can be made without its initialisers.
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
    let looksAtNothing = managedObjectClass._hasGeneratedBody
    entity = looksAtNothing ? Materialization.entity : owner.layout.entity
    mark = looksAtNothing ? nil : Materialization.context
    self.owner = owner
    registry = context?.registry
    self.storeNumber = storeNumber
    self.flags = flags
    self.row = row
    self.key = key
  }

  /// What makes faults of the rows that an owner keeps.
  ///
  /// - Parameter isReady: Whether the objects have their values from the start; only where their
  ///   class has no hook that hears of it.
  static func ofRows(
    _ owner: RowOwner, storeNumber: UInt16, isReady: Bool = false,
    in context: NSManagedObjectContext
  ) -> _Materialisation {
    let blueprint = owner.layout.blueprint
    return _Materialisation(
      blueprint.managedObjectClass, owner: owner, row: owner.layout.emptyRow, key: 0,
      storeNumber: storeNumber,
      flags: blueprint.flags.union(isReady ? .registered : [.fault, .registered]).union(
        context.flagsOfObjects),
      plainBytes: blueprint.plainBytes, context: context)
  }

  /// An object with the present row.
  func make() -> NSManagedObject {
    hold(for: 1)
    return makeHeld()
  }

  /// An object with another row.
  func make(_ row: RowReference, key: Int64) -> NSManagedObject {
    hold(for: 1)
    return makeHeld(row, key: key)
  }

  /// Counts what some objects hold, which `makeHeld` must make then.
  ///
  /// A count waits until all that was stored before it is seen by other threads, as the last
  /// object's properties are: for each of many objects this takes longer than making it.
  func hold(for count: Int) {
    guard plainBytes != nil, count > 0 else { return }
    PlainObjects.hold(owner, count)
    if let registry { PlainObjects.hold(registry, count) }
  }

  /// One of the objects for which `hold(for:)` was called.
  @inline(__always)
  func makeHeld(_ row: RowReference, key: Int64) -> NSManagedObject {
    (self.row, self.key) = (row, key)
    return makeHeld()
  }

  @inline(__always)
  private func makeHeld() -> NSManagedObject {
    guard let plainBytes else { return managedObjectClass.init(_materialise: self) }
    return PlainObjects.make(managedObjectClass, plainBytes, self)
  }
}

/// Objects that stand for rows, and objects in probe mode.
///
/// Both are created through the initialiser that subclasses override. It is told by the context
/// that it is passed, or by the entity: passing a context costs two counts.
enum Materialization {
  /// The context that tells the designated initialiser to leave the values to its caller.
  ///
  /// It is never used otherwise.
  static let context = {
    let context = StackDependencies.$current.withValue(.real) {
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    }
    context.marksMaterialisation = true
    return context
  }()

  /// The entity that tells the same to a class that looks at nothing it is given.
  static let entity = NSEntityDescription()

  /// The layout of an entity without properties.
  static let probeLayout = RowLayout(entity: entity, index: 0, rootIndex: 0)

  /// Whether the arguments of the designated initialiser say that its caller sets the values.
  @inline(__always)
  static func isMeant(_ entity: NSEntityDescription, _ context: NSManagedObjectContext?) -> Bool {
    if let context { return context.marksMaterialisation }
    return ObjectIdentifier(entity) == entityIdentifier
  }

  /// The entity itself would be counted as held to be compared.
  private static let entityIdentifier = ObjectIdentifier(entity)
}

extension NSManagedObject {
  /// An object that was never saved, with the values of the model, and one of a context where there
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
      "The entity \(layout.entity.name ?? "without a name") is abstract: it has no objects of its own. Create one of a subentity."
    )
    let state = ObjectState(layout: layout, committed: nil)
    row = state.makeOwnRow(copying: blueprint.defaults)
    key = newKey
    row.key = key
    owner = state
    flags = blueprint.flags(of: type(of: self)).union(.stateful)
  }
}
