import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Testing

/// API that exists so that sources compile, although it does little.
@Suite struct PlaceholderTests {
  @Test func `Placeholder identifiers are temporary and differ`() {
    let (one, other) = (NSManagedObjectID(), NSManagedObjectID())
    #expect(one.isTemporaryID && one != other && one == one)
    #expect(one.entity.name == nil)
    #expect(one.uriRepresentation() != other.uriRepresentation())
  }

  @Test func `A conflict without objects has no values`() {
    let conflict = NSConstraintConflict()
    #expect(
      conflict.constraint.isEmpty && conflict.conflictingObjects.isEmpty
        && conflict.constraintValues.isEmpty)
    #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
  }

  @available(*, deprecated)
  private static let formerNames: [(NSNotification.Name, UInt)] = [
    (
      .NSPersistentStoreDidImportUbiquitousContentChanges,
      NSManagedObjectContextConcurrencyType.confinementConcurrencyType.rawValue
    )
  ]

  @Test func `An index path has a section and an item`() {
    var path = IndexPath(item: 3, section: 1)
    #expect(path == [1, 3] && path.section == 1 && path.item == 3 && path.row == 3)
    (path.section, path.row) = (2, 4)
    #expect(path == IndexPath(row: 4, section: 2))
  }
}
