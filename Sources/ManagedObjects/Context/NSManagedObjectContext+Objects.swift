import ManagedObjectModel
import ObjectRows

/// What objects ask of their context.
extension NSManagedObjectContext {
  /// The flags that every object of the context starts with.
  var flagsOfObjects: ObjectFlags { [] }
  /// Whether objects that were never saved may have members elsewhere: in the parent context.
  var keepsMembersOfUnsavedObjects: Bool { false }
  func insertNew(_ object: NSManagedObject) { object.context = self }
  func noteChange(of object: NSManagedObject) {}
  func fulfillFault(_ object: NSManagedObject) {}
  func destination(_ value: ToOneValue, of object: NSManagedObject) -> NSManagedObject { object }
  func loadMembers(ofRelationship ordinal: Int, of object: NSManagedObject) -> [NSManagedObject] { [] }
  func requireAccess(_ what: StaticString) {}
  func forget(_ object: NSManagedObject) {}
  func storeIdentity(number: UInt16) -> StoreIdentity? { nil }
  func entity(of managedObjectClass: NSManagedObject.Type) -> NSEntityDescription { managedObjectClass.entity() }
  func objects(
    ofFetchedProperty property: NSFetchedPropertyDescription, of object: NSManagedObject
  ) -> [NSManagedObject] { [] }
}
