import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import Testing

/// Objects that a save must find unchanged.
@Suite struct LockedObjectTests {
  @Test(arguments: [false, true])
  func `A locked object can be changed after the save`(_ isInFile: Bool) throws {
    let office = try Office(at: isInFile ? URL(fileURLWithPath: "/dev/null") : nil)
    let context = office.context
    try context.performAndWait {
      let (locked, changed) = (context.person("Ada", age: 1), context.person("Bob"))
      try context.save()
      for age in 2...4 {
        context.detectConflicts(for: locked)
        changed.age = age
        try context.save()
        #expect(locked.age == age - 1)
        locked.age = age
        try context.save()
      }
      context.detectConflicts(for: changed)
      changed.age = 9
      try context.save()
      changed.age = 10
      try context.save()
      #expect(office.version(of: changed) == 6)
      #expect(office.version(of: locked) == 7)
    }
  }

  @Test(arguments: [false, true])
  func `A locked object is checked although nothing else is saved`(_ isInFile: Bool) throws {
    let office = try Office(at: isInFile ? URL(fileURLWithPath: "/dev/null") : nil)
    let (context, other) = (office.context, office.newContext())
    let locked = context.person("Ada", age: 1)
    try context.save()
    context.detectConflicts(for: locked)
    try context.save()
    #expect(office.version(of: locked) == 2)
    other.object(with: locked.objectID).setValue(5, forKey: "age")
    try other.save()
    // The lock was for one save.
    try context.save()
    context.detectConflicts(for: locked)
    let error = try #require(throws: CocoaError.self) { try context.save() }
    #expect(error.code == .managedObjectMerge)
    context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try context.save()
    #expect(locked.age == 5)
  }

  @Test func `A locked object of another store is checked, too`() throws {
    let office = try Office()
    let second = try office.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let (context, other) = (office.context, office.newContext())
    let (changed, locked) = (context.person("Ada"), context.person("Bob"))
    context.assign(locked, to: second)
    try context.save()
    other.object(with: locked.objectID).setValue(5, forKey: "age")
    try other.save()
    changed.age = 1
    context.detectConflicts(for: locked)
    let error = try #require(throws: CocoaError.self) { try context.save() }
    #expect(error.code == .managedObjectMerge)
  }

  @Test func `Other contexts find the version of a locked row in memory`() throws {
    let office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    let context = office.context
    let identifier = try context.performAndWait {
      let (locked, changed) = (context.person("Ada"), context.person("Bob"))
      try context.save()
      context.detectConflicts(for: locked)
      changed.age = 5
      try context.save()
      return locked.objectID
    }
    let other = office.newContext()
    try other.performAndWait {
      other.object(with: identifier).setValue(7, forKey: "age")
      try other.save()
    }
  }

  @Test func `A reset releases locked objects`() throws {
    let office = try Office()
    weak var locked: Person?
    do {
      let person = office.context.person("Ada")
      try office.context.save()
      office.context.detectConflicts(for: person)
      locked = person
    }
    #expect(locked != nil)
    office.context.reset()
    #expect(locked == nil)
  }
}
