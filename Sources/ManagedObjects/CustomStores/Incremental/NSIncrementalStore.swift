public import Foundation
public import ManagedObjectModel
public import ObjectRows
import Synchronization

/// A store that reads and writes objects one by one, in a form that a subclass decides: a server, a
/// database, a folder of files.
///
/// A subclass overrides ``loadMetadata()``, ``execute(_:with:)``,
/// ``newValuesForObject(with:with:)``, ``newValue(forRelationship:forObjectWith:with:)`` and
/// ``obtainPermanentIDs(for:)``. It identifies each object by a reference of its choice, such as a
/// number or a string, from which ``newObjectID(for:referenceObject:)`` creates the identifier.
///
/// ```swift
/// NSPersistentStoreCoordinator.registerStoreClass(
///   ServerStore.self, type: NSPersistentStore.StoreType(rawValue: "Server"))
/// try coordinator.addPersistentStore(type: .init(rawValue: "Server"), at: address)
/// ```
///
/// The methods are called by one thread at a time, on the queues of the contexts. Only
/// ``managedObjectContextDidRegisterObjects(with:)`` and
/// ``managedObjectContextDidUnregisterObjects(with:)`` may be called at the same time as another
/// method.
///
/// - Note: Without the Objective-C runtime, the types `NSFetchRequest<NSManagedObject>` and
///   `NSFetchRequest<any NSFetchRequestResult>` cannot be cast to each other. The fetch requests
///   that a store receives are `NSFetchRequest<NSManagedObject>`, whatever they ask for.
open class NSIncrementalStore: NSPersistentStore {
  /// Whether the process has opened an incremental store.
  static let wasOpened = Atomic(false)

  override var keepsMetadata: Bool { true }

  /// Executes a request.
  ///
  /// | request | result |
  /// |---|---|
  /// | `NSFetchRequest` for objects | an array of the context's objects, or of identifiers |
  /// | for identifiers | an array of identifiers |
  /// | for dictionaries | an array of dictionaries |
  /// | for a count | an array with the number, or the number |
  /// | `NSSaveChangesRequest` | any value: it is ignored |
  ///
  /// To report a conflict, throw an error with the code `NSPersistentStoreSaveConflictsError` and
  /// an array of `NSMergeConflict` for `NSPersistentStoreSaveConflictsErrorKey`. The context
  /// resolves the conflicts by its merge policy, and saves again.
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?)
    throws -> Any
  {
    throw MissingOverride.error("execute(_:with:)", Swift.type(of: self))
  }

  /// Returns the values of an object.
  ///
  /// If the store does not have the object, throw an error of the domain `NSCocoaErrorDomain` with
  /// the code `NSManagedObjectReferentialIntegrityError`. The context then deletes the object.
  ///
  /// After any other error the object stays a fault, its values read as nil, and the next access
  /// calls this method again. `existingObject(with:)`, a fetch with `returnsObjectsAsFaults` false,
  /// and a save of the object throw the error.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    throw MissingOverride.error("newValuesForObject(with:with:)", Swift.type(of: self))
  }

  /// Returns the destination of a relationship.
  ///
  /// The result is an identifier, or `NSNull` for none, if the relationship is to-one; otherwise it
  /// is a collection of identifiers.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    throw MissingOverride.error(
      "newValue(forRelationship:forObjectWith:with:)", Swift.type(of: self))
  }

  /// Loads the metadata.
  ///
  /// A subclass sets `metadata` to a dictionary with the store's UUID and type.
  open override func loadMetadata() throws { try super.loadMetadata() }

  /// Returns a UUID for a new store at a URL.
  ///
  /// It is used if ``loadMetadata()`` sets none.
  open class func identifierForNewStore(at storeURL: URL) -> Any {
    StackDependencies.current.makeUUID().uuidString
  }

  /// Returns identifiers for new objects, in the order of the objects.
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    throw MissingOverride.error("obtainPermanentIDs(for:)", Swift.type(of: self))
  }

  /// Called when a context has objects with these identifiers.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Called when a context no longer has objects with these identifiers.
  ///
  /// It may be called on any thread.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Returns the identifier of the object with a reference.
  ///
  /// Equal references give equal identifiers. Do not override this method.
  open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any)
    -> NSManagedObjectID
  {
    identifier(of: entity, reference: data)
  }

  /// Returns the reference from which an identifier was created.
  ///
  /// Do not override this method.
  ///
  /// - Precondition: This store created the identifier.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }
}
