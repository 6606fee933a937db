import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// Two contexts that change the same row.
private struct ConcurrentEdits {
  let office: Office
  let mine: Company
  let theirs: Company
  var context: NSManagedObjectContext { office.context }

  /// The local context changes the name.
  ///
  /// The other one has saved another rank and name.
  init(_ policy: NSMergePolicy? = nil) throws {
    office = try Office()
    mine = office.context.company("Ice", rank: 1)
    try office.context.save()
    let other = office.newContext()
    theirs = try #require(try other.companies().first)
    theirs.name = "Theirs"
    theirs.rank = 5
    try other.save()
    mine.name = "Mine"
    if let policy { office.context.mergePolicy = policy }
    self.other = other
  }

  let other: NSManagedObjectContext

  func stored() throws -> Company { try #require(try office.newContext().companies().first) }
}

@Suite struct ConflictTests {
  @Test func `A row that changed elsewhere is an error by default`() throws {
    let edits = try ConcurrentEdits()
    let error = #expect(throws: NSError.self) { try edits.context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    let conflict = try #require(conflicts?.first)
    #expect(conflict.sourceObject === edits.mine)
    #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
    #expect(conflict.objectSnapshot?["name"] as? String == "Ice")
    #expect(conflict.cachedSnapshot?["name"] as? String == "Theirs")
    #expect(edits.mine.name == "Mine" && edits.mine.isUpdated)
    #expect(try edits.stored().name == "Theirs")
  }

  @Test func `Every policy has its own result`() throws {
    let expected: [(NSMergePolicy, String, Int)] = [
      (.mergeByPropertyObjectTrump, "Mine", 5), (.mergeByPropertyStoreTrump, "Theirs", 5),
      (.overwrite, "Mine", 1),
      (.rollback, "Theirs", 5),
    ]
    for (policy, name, rank) in expected {
      let edits = try ConcurrentEdits(policy)
      try edits.context.save()
      #expect(!edits.context.hasChanges)
      let stored = try edits.stored()
      #expect((stored.name, stored.rank) == (name, rank), "\(policy.mergeType)")
      #expect((edits.mine.name, edits.mine.rank) == (name, rank), "\(policy.mergeType)")
    }
  }

  @Test func `A row that was deleted elsewhere is inserted again or stays deleted`() throws {
    for (policy, survives) in [
      (NSMergePolicy.mergeByPropertyObjectTrump, true), (.rollback, false),
      (.mergeByPropertyStoreTrump, false),
    ] {
      let office = try Office()
      let mine = office.context.company("Ice", rank: 3)
      try office.context.save()
      let other = office.newContext()
      other.delete(other.object(with: mine.objectID))
      try other.save()
      mine.rank = 4
      office.context.mergePolicy = policy
      try office.context.save()
      let stored = try office.newContext().companies()
      #expect(stored.map(\.rank) == (survives ? [4] : []), "\(policy.mergeType)")
      #expect(!office.context.hasChanges)
      #expect((mine.managedObjectContext == nil) == !survives)
    }
  }

  @Test func `A deletion of a changed row is a conflict`() throws {
    let edits = try ConcurrentEdits()
    edits.context.refresh(edits.mine, mergeChanges: false)
    #expect(edits.mine.name == "Theirs")
    edits.theirs.rank = 6
    try edits.other.save()
    edits.context.delete(edits.mine)
    let error = #expect(throws: NSError.self) { try edits.context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    edits.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try edits.context.save()
    #expect(try edits.office.newContext().companies().isEmpty)
  }

  @Test func `Values that must be unique are merged into the object that has them`() throws {
    let office = try Office()
    let first = office.context.company("Ice", rank: 3)
    try office.context.save()
    let context = office.newContext()
    let second = context.company("Ice", rank: 4)
    _ = context.person("Ada", in: second)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    let conflict = try #require(
      (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.first)
    #expect(conflict.constraint == ["name"] && conflict.conflictingObjects == [second])
    #expect(conflict.databaseObject?.objectID == first.objectID)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    let stored = try office.newContext().companies()
    #expect(stored.map(\.rank) == [4])
    #expect(stored.first?.objectID == first.objectID)
    #expect(stored.first?.employees.map(\.name) == ["Ada"])
  }

  @Test func `Two new objects with the same unique values are a conflict`() throws {
    let office = try Office()
    _ = office.context.company("Ice")
    _ = office.context.company("Ice")
    let error = #expect(throws: NSError.self) { try office.context.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    office.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try office.context.save()
    #expect(try office.newContext().companies().count == 1)
  }

  @Test func `A custom policy is called once, and its changes are saved`() throws {
    final class Counting: NSMergePolicy {
      var lists: [Int] = []
      override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        lists.append(list.count)
        for conflict in list { (conflict.sourceObject as? Company)?.rank = 42 }
        try super.resolve(optimisticLockingConflicts: list)
      }
    }
    let policy = Counting(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let edits = try ConcurrentEdits(policy)
    try edits.context.save()
    #expect(policy.lists == [1])
    #expect(try edits.stored().rank == 42)
  }

  @Test func `A policy that resolves nothing is not retried for ever`() throws {
    final class Idle: NSMergePolicy {
      override func resolve(mergeConflicts list: [Any]) throws {}
    }
    let edits = try ConcurrentEdits(Idle(merge: .errorMergePolicyType))
    let error = #expect(throws: NSError.self) { try edits.context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test func `A locked row must be unchanged`() throws {
    let edits = try ConcurrentEdits()
    edits.context.rollback()
    _ = edits.context.person("Ada")
    edits.context.detectConflicts(for: edits.mine)
    let error = #expect(throws: NSError.self) { try edits.context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    edits.context.refresh(edits.mine, mergeChanges: false)
    edits.context.detectConflicts(for: edits.mine)
    try edits.context.save()
    #expect(try edits.office.newContext().people().count == 1)
  }

  @Test func `Contexts that alternate lose nothing under a merging policy`() throws {
    let office = try Office()
    _ = office.context.company("Ice", rank: 0)
    try office.context.save()
    let contexts = (0..<3).map { _ in office.newContext() }
    for context in contexts { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
    let companies = try contexts.map { try #require(try $0.companies().first) }
    for round in 0..<5 {
      for (context, company) in zip(contexts, companies) {
        _ = context.person("P", in: company)
        company.rank = round
        try context.save()
      }
    }
    let stored = try #require(try office.newContext().companies().first)
    #expect(stored.employees.count == 15 && stored.rank == 4)
  }
}
