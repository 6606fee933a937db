import Foundation
import ManagedObjects
import Testing

@Suite struct NSMergePolicyTests {
  let library = LibraryModel()

  private func book(_ title: String) -> NSManagedObject {
    let book = NSManagedObject(entity: library.book, insertInto: nil)
    book.setValue(title, forKey: "title")
    return book
  }

  @Test func `The shared policies have their names and types`() {
    let policies: [(NSMergePolicy, AnyObject, NSMergePolicyType)] = [
      (.error, NSErrorMergePolicy, .errorMergePolicyType),
      (
        .mergeByPropertyStoreTrump, NSMergeByPropertyStoreTrumpMergePolicy,
        .mergeByPropertyStoreTrumpMergePolicyType
      ),
      (
        .mergeByPropertyObjectTrump, NSMergeByPropertyObjectTrumpMergePolicy,
        .mergeByPropertyObjectTrumpMergePolicyType
      ),
      (.overwrite, NSOverwriteMergePolicy, .overwriteMergePolicyType),
      (.rollback, NSRollbackMergePolicy, .rollbackMergePolicyType),
    ]
    for (policy, old, type) in policies {
      #expect(policy === old)
      #expect(policy.mergeType == type)
    }
  }

  @Test func `The error policy throws the conflicts of versions`() throws {
    let conflict = NSMergeConflict(
      source: book("Emma"), newVersion: 3, oldVersion: 2, cachedSnapshot: ["title": "Emma"],
      persistedSnapshot: ["title": "Persuasion"])
    #expect {
      try NSMergePolicy.error.resolve(mergeConflicts: [conflict])
    } throws: { error in
      guard let error = error as? CocoaError, error.code == .managedObjectMerge else {
        return false
      }
      return error.persistentStoreSaveConflicts == [conflict] && error.affectedObjects?.count == 1
        && error.localizedDescription.contains("version 2 to 3")
    }
  }

  @Test func `The error policy throws the conflicts of uniqueness`() {
    let conflict = NSConstraintConflict(
      constraint: ["title"], database: nil, databaseSnapshot: nil,
      conflicting: [book("Emma"), book("Emma")],
      conflictingSnapshots: [])
    #expect(conflict.constraintValues as? [String: String] == ["title": "Emma"])
    #expect {
      try NSMergePolicy(merge: .errorMergePolicyType).resolve(mergeConflicts: [conflict])
    } throws: { error in
      guard let error = error as? CocoaError, error.code == .managedObjectConstraintMerge else {
        return false
      }
      return error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] == [
        conflict
      ]
        && error.localizedDescription.contains("title Emma")
    }
  }

  @Test func `An overridden method replaces the resolution of the policy's type`() throws {
    final class Recorder: NSMergePolicy {
      var versions = 0
      override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        versions += list.count
      }
    }
    let policy = Recorder(merge: .errorMergePolicyType)
    let conflict = NSMergeConflict(
      source: book(""), newVersion: 0, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
    try policy.resolve(mergeConflicts: [conflict, conflict])
    #expect(policy.versions == 2)
  }
}
