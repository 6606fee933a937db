import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// Real conflicts between two contexts, for each kind of store and each policy.
@Suite struct ConflictResolutionTests {
  enum Kind: CaseIterable {
    /// Two contexts of one coordinator with a store in memory.
    case memory
    /// Two contexts of one coordinator with a file.
    case file
    /// Two coordinators with one file.
    case twoCoordinators
  }

  /// One company and one person in two contexts.
  private final class Conflict {
    let (mine, theirs): (NSManagedObjectContext, NSManagedObjectContext)
    let (my, their): (Company, Company)

    init(_ kind: Kind, in folder: URL) throws {
      mine = try Self.context(kind, in: folder)
      if kind == .twoCoordinators {
        theirs = try Self.context(kind, in: folder)
      } else {
        theirs = NSManagedObjectContext.onAnyThread()
        theirs.persistentStoreCoordinator = mine.persistentStoreCoordinator
      }
      my = mine.company("Ice", rank: 1)
      try mine.save()
      their = try #require(try theirs.companies().first)
      _ = their.name
    }

    private static func context(_ kind: Kind, in folder: URL) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CompanyModel().model)
      let url = kind == .memory ? nil : folder.appendingPathComponent("Office.sqlite")
      try coordinator.addPersistentStore(
        ofType: kind == .memory ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil,
        at: url)
      let context = NSManagedObjectContext.onAnyThread()
      context.persistentStoreCoordinator = coordinator
      return context
    }

    /// The name and rank of every company in a new context.
    func stored() throws -> [String] {
      let context = NSManagedObjectContext.onAnyThread()
      context.persistentStoreCoordinator = mine.persistentStoreCoordinator
      return try context.companies().map { "\($0.name ?? "-") \($0.rank)" }
    }
  }

  private func withConflict(_ kind: Kind, _ body: (Conflict) throws -> Void) throws {
    try withTemporaryDirectory { folder in try body(Conflict(kind, in: folder)) }
  }

  private static let policies: [(NSMergePolicyType, bothChanged: String, rowDeleted: [String])] = [
    (.mergeByPropertyStoreTrumpMergePolicyType, "Theirs 3", []),
    (.mergeByPropertyObjectTrumpMergePolicyType, "Mine 3", ["Mine 1"]),
    (.overwriteMergePolicyType, "Mine 1", ["Mine 1"]),
    (.rollbackMergePolicyType, "Theirs 3", []),
  ]

  @Test(arguments: Kind.allCases)
  func `The error policy names the object and both versions`(kind: Kind) throws {
    try withConflict(kind) { conflict in
      conflict.their.name = "Theirs"
      try conflict.theirs.save()
      conflict.my.name = "Mine"
      #expect { try conflict.mine.save() } throws: { error in
        guard let error = error as? CocoaError, error.code == .managedObjectMerge,
          let found = error.persistentStoreSaveConflicts?.first
        else { return false }
        return found.sourceObject === conflict.my && found.oldVersionNumber == 1
          && found.newVersionNumber == 2
      }
      #expect(try conflict.stored() == ["Theirs 1"])
      #expect(conflict.mine.hasChanges && conflict.my.name == "Mine")
    }
  }

  @Test(arguments: Kind.allCases, Self.policies.map(\.0))
  func `Changes on both sides are a conflict`(kind: Kind, policy: NSMergePolicyType) throws {
    try withConflict(kind) { conflict in
      conflict.their.name = "Theirs"
      conflict.their.rank = 3
      try conflict.theirs.save()
      conflict.my.name = "Mine"
      conflict.mine.mergePolicy = NSMergePolicy(merge: policy)
      try conflict.mine.save()
      let expected = Self.policies.first { $0.0 == policy }?.bothChanged ?? ""
      #expect(try conflict.stored() == [expected])
      #expect("\(conflict.my.name ?? "") \(conflict.my.rank)" == expected)
      #expect(!conflict.mine.hasChanges)
    }
  }

  @Test(arguments: Kind.allCases, Self.policies.map(\.0))
  func `A deleted row is a conflict`(kind: Kind, policy: NSMergePolicyType) throws {
    try withConflict(kind) { conflict in
      conflict.theirs.delete(conflict.their)
      try conflict.theirs.save()
      conflict.my.name = "Mine"
      let identifier = conflict.my.objectID
      conflict.mine.mergePolicy = NSMergePolicy(merge: policy)
      try conflict.mine.save()
      let expected = Self.policies.first { $0.0 == policy }?.rowDeleted ?? []
      #expect(try conflict.stored() == expected)
      if !expected.isEmpty { #expect(conflict.my.objectID == identifier) }
      #expect(!conflict.mine.hasChanges)
    }
  }

  @Test(arguments: Kind.allCases)
  func `Deleting a changed row is a conflict`(kind: Kind) throws {
    for (policy, remains) in [
      (NSMergePolicy.mergeByPropertyStoreTrump, true), (.mergeByPropertyObjectTrump, false),
      (.overwrite, false),
      (.rollback, true),
    ] {
      try withConflict(kind) { conflict in
        conflict.their.rank = 3
        try conflict.theirs.save()
        conflict.mine.delete(conflict.my)
        conflict.mine.mergePolicy = policy
        try conflict.mine.save()
        #expect(try conflict.stored() == (remains ? ["Ice 3"] : []), "\(policy.mergeType)")
      }
    }
  }

  // MARK: Uniqueness

  @Test(arguments: Kind.allCases)
  func `A new object with a row's unique value is a conflict`(kind: Kind) throws {
    for (policy, expected) in [
      (NSMergePolicy.mergeByPropertyStoreTrump, "Ice 2"), (.mergeByPropertyObjectTrump, "Ice 7"),
      (.overwrite, "Ice 7"), (.rollback, "Ice 2"),
    ] {
      try withConflict(kind) { conflict in
        conflict.my.rank = 2
        try conflict.mine.save()
        let identifier = conflict.my.objectID
        let newcomer = conflict.theirs.company("Ice", rank: 7)
        #expect { try conflict.theirs.save() } throws: {
          ($0 as? CocoaError)?.code == .managedObjectConstraintMerge
        }
        conflict.theirs.mergePolicy = policy
        try conflict.theirs.save()
        #expect(try conflict.stored() == [expected], "\(policy.mergeType)")
        #expect(try conflict.theirs.companies().map(\.objectID) == [identifier])
        #expect(newcomer.managedObjectContext == nil)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `Members of a merged duplicate belong to the winner`(kind: Kind) throws {
    try withConflict(kind) { conflict in
      _ = conflict.mine.person("Ada", in: conflict.my)
      try conflict.mine.save()
      let newcomer = conflict.theirs.company("Ice", rank: 7)
      _ = conflict.theirs.person("Bob", in: newcomer)
      conflict.theirs.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try conflict.theirs.save()
      let context = NSManagedObjectContext.onAnyThread()
      context.persistentStoreCoordinator = conflict.mine.persistentStoreCoordinator
      let people = try #require(try context.companies().first).employees
      #expect(people.compactMap(\.name).sorted() == ["Ada", "Bob"])
    }
  }

  @Test func `Two new objects with the same unique value become one`() throws {
    let office = try Office()
    let first = office.context.company("Ice", rank: 2)
    _ = office.context.company("Ice", rank: 5)
    office.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try office.context.save()
    #expect(try office.newContext().companies().map(\.rank) == [5])
    #expect(first.rank == 5 && !first.objectID.isTemporaryID)
  }

  @Test func `A custom policy decides by the snapshots`() throws {
    final class Greatest: NSMergePolicy {
      override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let greatest = list.map { conflict in
          let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot
          return max(
            (stored?["rank"] as? Int) ?? 0,
            (conflict.sourceObject.value(forKey: "rank") as? Int) ?? 0)
        }
        try super.resolve(optimisticLockingConflicts: list)
        for (conflict, rank) in zip(list, greatest) {
          conflict.sourceObject.setValue(rank, forKey: "rank")
        }
      }
    }
    try withConflict(.file) { conflict in
      conflict.their.rank = 9
      try conflict.theirs.save()
      conflict.my.rank = 5
      conflict.mine.mergePolicy = Greatest(merge: .mergeByPropertyObjectTrumpMergePolicyType)
      try conflict.mine.save()
      #expect(try conflict.stored() == ["Ice 9"])
    }
  }
}
