import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// The contents of conflicts, and custom merge policies, with stores in files.
@Suite struct ConflictContentTests {
  private static func model() -> NSManagedObjectModel {
    let model = KitchenModel.make()
    model.entitiesByName["Cook"]?.uniquenessConstraints = [["name"]]
    return model
  }

  private let kitchen: Kitchen
  private let other: NSPersistentContainer

  init() throws {
    kitchen = try Kitchen(model: Self.model())
    other = NSPersistentContainer(name: "Kitchen", managedObjectModel: Self.model())
    other.persistentStoreDescriptions = [NSPersistentStoreDescription(url: kitchen.file)]
    var failure: (any Error)?
    other.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    try kitchen.inContext { context in
      context.recipe("Soup", ["rating": 1.0, "servings": 2])
      let cook = NSEntityDescription.insertNewObject(forEntityName: "Cook", into: context)
      cook.setValue("Ada", forKey: "name")
      try context.save()
    }
  }

  /// Changes the soup's rating in a context, and its servings and rating in another one.
  private func collide(
    in context: NSManagedObjectContext, _ body: (NSManagedObject) throws -> Void
  ) throws {
    try context.performAndWait {
      let soup = try #require(try context.recipes().first)
      soup.setValue(2.0, forKey: "rating")
      let second = other.newBackgroundContext()
      try second.performAndWait {
        let same = try #require(try second.recipes().first)
        same.setValuesForKeys(["rating": 9.0, "servings": 8])
        try second.save()
      }
      try body(soup)
    }
  }

  @Test func `A conflict within one coordinator has no persisted snapshot`() throws {
    let office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let context = office.context
    let company = context.company("Ice", rank: 1)
    try context.save()
    let second = office.newContext()
    let same = try #require(try second.companies().first)
    same.rank = 9
    try second.save()
    company.rank = 2
    let error = #expect(throws: NSError.self) { try context.save() }
    let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    let conflict = try #require(conflicts?.first)
    #expect(
      conflict.sourceObject === company && conflict.oldVersionNumber == 1
        && conflict.newVersionNumber == 2)
    #expect(conflict.objectSnapshot?["rank"] as? Int == 1)
    #expect(
      conflict.cachedSnapshot?["rank"] as? Int == same.rank && conflict.persistedSnapshot == nil)
  }

  @Test func `A conflict between two coordinators has a persisted snapshot`() throws {
    let context = kitchen.container.newBackgroundContext()
    try collide(in: context) { soup in
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
      let conflict = try #require(conflicts?.first)
      #expect(conflict.objectSnapshot == nil && conflict.cachedSnapshot?["rating"] as? Double == 1)
      #expect(conflict.persistedSnapshot?["rating"] as? Double == 9)
      #expect(conflict.persistedSnapshot?["servings"] as? Int == 8)
    }
  }

  @Test(arguments: [
    (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, 2.0, 8),
    (.mergeByPropertyStoreTrumpMergePolicyType, 9.0, 8), (.overwriteMergePolicyType, 2.0, 2),
    (.rollbackMergePolicyType, 9.0, 8),
  ])
  func `Each merge policy works between two coordinators`(
    _ type: NSMergePolicyType, _ rating: Double, _ servings: Int
  ) throws {
    let context = kitchen.container.newBackgroundContext()
    context.mergePolicy = NSMergePolicy(merge: type)
    try collide(in: context) { soup in
      try context.save()
      #expect(
        soup.value(forKey: "rating") as? Double == rating
          && soup.value(forKey: "servings") as? Int == servings)
    }
    try kitchen.inContext { context in
      let soup = try #require(try context.recipes().first)
      #expect(
        soup.value(forKey: "rating") as? Double == rating
          && soup.value(forKey: "servings") as? Int == servings)
    }
  }

  // MARK: Constraints

  @Test func `A value that another coordinator's row has is a conflict with that row`() throws {
    let context = kitchen.container.newBackgroundContext()
    try context.performAndWait {
      let cook = NSEntityDescription.insertNewObject(forEntityName: "Cook", into: context)
      cook.setValue("Ada", forKey: "name")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let conflicts =
        error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
      let conflict = try #require(conflicts?.first)
      #expect(
        conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "Ada")
      #expect(conflict.databaseObject?.objectID.isTemporaryID == false)
      #expect(conflict.databaseSnapshot?["name"] as? String == "Ada")
      #expect(conflict.conflictingObjects == [cook] && conflict.conflictingSnapshots.count == 1)
    }
  }

  @Test(arguments: [
    NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType,
    .mergeByPropertyStoreTrumpMergePolicyType,
    .overwriteMergePolicyType, .rollbackMergePolicyType,
  ])
  func `Each policy leaves one row, which keeps its identifier`(_ type: NSMergePolicyType)
    throws
  {
    let former = try kitchen.inContext { context in
      try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cook")).first)
        .objectID
    }
    let context = kitchen.container.newBackgroundContext()
    context.mergePolicy = NSMergePolicy(merge: type)
    try context.performAndWait {
      let cook = NSEntityDescription.insertNewObject(forEntityName: "Cook", into: context)
      cook.setValue("Ada", forKey: "name")
      let stew = context.recipe("Stew")
      stew.setValue(cook, forKey: "cook")
      try context.save()
      #expect(!context.hasChanges)
    }
    try kitchen.inContext { context in
      let cooks = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Cook"))
      #expect(cooks.map(\.objectID) == [former])
      let titles = try context.titles("cook.name == 'Ada'")
      #expect(titles == (type == .rollbackMergePolicyType ? [] : ["Stew"]))
    }
  }

  // MARK: Custom policies

  /// Adds up the increments of both sides.
  private final class SummingPolicy: NSMergePolicy {
    private(set) var calls: [String] = []

    override func resolve(mergeConflicts list: [Any]) throws {
      calls.append("all \(list.count)")
      try super.resolve(mergeConflicts: list)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
      calls.append("versions \(list.count)")
      var sums: [(NSManagedObject, Double)] = []
      for conflict in list {
        let base =
          (conflict.persistedSnapshot == nil ? conflict.objectSnapshot : conflict.cachedSnapshot)?[
            "rating"]
        let theirs = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)?["rating"]
        let mine = conflict.sourceObject.value(forKey: "rating")
        guard let base = base as? Double, let theirs = theirs as? Double, let mine = mine as? Double
        else { continue }
        sums.append((conflict.sourceObject, theirs + mine - base))
      }
      try super.resolve(optimisticLockingConflicts: list)
      for (object, sum) in sums { object.setValue(sum, forKey: "rating") }
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
      calls.append("constraints \(list.count)")
      for conflict in list {
        for object in conflict.conflictingObjects {
          let name = object.value(forKey: "name") as? String ?? ""
          object.setValue(name + " II", forKey: "name")
        }
      }
    }
  }

  @Test func `A custom policy resolves both kinds of conflicts`() throws {
    let context = kitchen.container.newBackgroundContext()
    let policy = SummingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    context.mergePolicy = policy
    try collide(in: context) { soup in
      let cook = NSEntityDescription.insertNewObject(forEntityName: "Cook", into: context)
      cook.setValue("Ada", forKey: "name")
      try context.save()
      #expect(
        soup.value(forKey: "rating") as? Double == 10 && soup.value(forKey: "servings") as? Int == 8
      )
      #expect(cook.value(forKey: "name") as? String == "Ada II")
      #expect(policy.calls.contains("versions 1") && policy.calls.contains("constraints 1"))
    }
  }
}
