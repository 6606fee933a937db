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
}
