import ManagedObjectModel
import ObjectRows

/// What is needed to create a managed object of a class that is known only at run time.
///
/// For generated code.
public struct _Materialisation {
  let blueprint: ObjectBlueprint
  let row: RowReference
  let owner: RowOwner
  let context: NSManagedObjectContext?
  let key: Int64
  let storeNumber: UInt16
  let flags: ObjectFlags
}

/// Objects that stand for rows, and objects in probe mode.
///
/// Both are created through the initialiser that subclasses override. It is told by the context that it is passed.
enum Materialisation {
  /// The context that tells the designated initialiser to leave the values to its caller.
  ///
  /// It is never used otherwise.
  static let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)

  /// What an object has in the place of a row for the moment between two initialisers.
  static let vacantRow = probeLayout.emptyRow

  /// The layout of an entity without properties.
  static let probeLayout = RowLayout(entity: NSEntityDescription(), index: 0, rootIndex: 0)
}

extension NSManagedObject {
  /// An object that stands for a row: a fault, whether or not its row is already at hand.
  static func materialise(
    _ blueprint: ObjectBlueprint, row: RowReference, owner: RowOwner, key: Int64, storeNumber: UInt16,
    in context: NSManagedObjectContext
  ) -> NSManagedObject {
    blueprint.managedObjectClass.init(
      _materialise: _Materialisation(
        blueprint: blueprint, row: row, owner: owner, context: context, key: key, storeNumber: storeNumber,
        flags: blueprint.flags.union([.fault, .registered]).union(context.flagsOfObjects)))
  }

  /// An object that was never saved, with the values of the model.
  func becomeNew(of entity: NSEntityDescription) {
    precondition(
      !entity.isAbstract,
      "The entity \(entity.name ?? "without a name") is abstract: it has no objects of its own. Create one of a subentity."
    )
    becomeNew(ObjectBlueprints.blueprint(of: entity))
  }

  private func becomeNew(_ blueprint: ObjectBlueprint) {
    let state = ObjectState(layout: blueprint.layout, committed: nil)
    row = state.makeOwnRow(copying: blueprint.defaults)
    key = TemporaryKeys.next()
    row.key = key
    owner = state
    flags = blueprint.flags(of: type(of: self)).union(.stateful)
  }
}
