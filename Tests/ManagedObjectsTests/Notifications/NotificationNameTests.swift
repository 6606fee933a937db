import Foundation
import ManagedObjects
import Testing

@Suite struct NotificationNameTests {
  @Test func `Both spellings of a name are equal`() {
    #expect(NSManagedObjectContext.willSaveObjectsNotification == .NSManagedObjectContextWillSave)
    #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
    #expect(
      NSManagedObjectContext.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange
    )
    #expect(
      NSManagedObjectContext.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs
    )
    #expect(
      NSManagedObjectContext.didMergeChangesObjectIDsNotification
        == .NSManagedObjectContextDidMergeChangesObjectIDs)
  }

  @Test func `Both spellings of a key are equal`() {
    typealias Key = NSManagedObjectContext.NotificationKey
    let pairs: [(Key, String)] = [
      (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey),
      (.deletedObjects, NSDeletedObjectsKey), (.refreshedObjects, NSRefreshedObjectsKey),
      (.invalidatedObjects, NSInvalidatedObjectsKey),
      (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
      (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
      (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
      (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey),
      (.queryGeneration, NSManagedObjectContextQueryGenerationKey),
    ]
    for (key, constant) in pairs { #expect(key.rawValue == constant) }
  }
}
