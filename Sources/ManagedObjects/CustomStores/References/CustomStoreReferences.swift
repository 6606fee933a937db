import Foundation
import ManagedObjectModel
import ObjectRows

/// The identity of a store whose class identifies its rows, and the references of these rows.
///
/// All stores with one UUID share the references, so that an identifier means the same object in
/// each coordinator.
final class CustomStoreReferences: Sendable {
  private struct State {
    var uuid: String?
    var table: ReferenceTable?
  }

  let identity = StoreIdentity(uuid: "")
  private let state = LockedBox(State())

  /// The references of a store with a UUID.
  ///
  /// A store's UUID may change after it had references. They then stay valid.
  func table(forStore uuid: String) -> ReferenceTable {
    state.withLock { state in
      if let table = state.table, state.uuid == uuid { return table }
      let table = state.table.map { ReferenceTables.shared.adopt($0, uuid) }
      let used = table ?? ReferenceTables.shared.table(ofStore: uuid)
      state = State(uuid: uuid, table: used)
      identity.uuid = uuid
      identity.rowNames = used
      return used
    }
  }
}

extension NSPersistentStore {
  /// The references of the rows, under the store's current UUID.
  var referenceTable: ReferenceTable { references.table(forStore: identifier ?? "") }

  /// The identifier of the object for which the store's class uses a reference.
  func identifier(of entity: NSEntityDescription, reference: Any) -> NSManagedObjectID {
    let layout = ownLayout(of: entity)
    let key = referenceTable.key(of: reference, layout)
    return NSManagedObjectID(layout: layout, key: key, storeIdentity: references.identity)
  }

  /// The reference from which an identifier was made.
  func reference(of objectID: NSManagedObjectID) -> Any {
    guard !objectID.isTemporaryID, isOwn(objectID),
      let reference = referenceTable.reference(of: objectID.key, root: objectID.layout.rootName)
    else {
      preconditionFailure(
        "\(objectID) was not created by this store, so that it has no reference. Ask only "
          + "for identifiers of objects in \(self)."
      )
    }
    return reference
  }

  /// Whether an identifier is one of this store, or of another with the same UUID.
  func isOwn(_ objectID: NSManagedObjectID) -> Bool {
    guard let identity = objectID.storeIdentity else { return false }
    return identity === references.identity || identity.uuid == references.identity.uuid
  }

  /// The layout of an entity in the coordinator's model.
  private func ownLayout(of entity: NSEntityDescription) -> RowLayout {
    persistentStoreCoordinator?.layouts[entity] ?? .layout(of: entity)
  }
}
