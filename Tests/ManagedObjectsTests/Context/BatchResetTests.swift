import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A context that is reset while an array of a batched fetch is iterated.
@Suite struct BatchResetTests {
  private let office: Office
  private let context: NSManagedObjectContext

  init() throws {
    office = try Office(at: URL(fileURLWithPath: "/dev/null"))
    for number in 0..<10 { _ = office.context.person("P\(number)", age: number) }
    try office.context.save()
    context = office.newContext()
  }

  private func batches(of size: Int) throws -> [Person] {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    request.fetchBatchSize = size
    return try context.fetch(request)
  }

  @Test(arguments: [4, 3, 20])
  func `Every object keeps its values after a batch reset`(size: Int) throws {
    let people = try batches(of: size)
    var ages: [Int] = []
    for (place, person) in people.enumerated() {
      ages.append(person.age)
      if place % 4 == 3 { context.reset() }
    }
    #expect(ages == Array(0..<10))
  }

  @Test func `A batch reset removes the fetched batches and keeps other objects`() throws {
    let people = try batches(of: 4)
    #expect(people[5].age == 5)
    let listener = Listener(context, .NSManagedObjectContextObjectsDidChange)
    context.reset()
    #expect(people[4..<8].allSatisfy { $0.managedObjectContext == nil } && people[5].age == 5)
    let others = [people[0], people[9]]
    #expect(others.allSatisfy { $0.managedObjectContext === context && $0.isFault })
    #expect(context.registeredObject(for: people[9].objectID) === people[9])
    #expect(context.registeredObject(for: people[5].objectID) == nil)
    let invalidated =
      listener.notifications.last?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
    #expect(invalidated == people[4..<8].map(\.objectID))
    #expect(try context.people("age == 9").first === people[9])
  }

  @Test func `A retained object can be changed, deleted and saved`() throws {
    let people = try batches(of: 4)
    #expect(people[0].age == 0)
    context.reset()
    people[4].age = 44
    context.delete(people[8])
    try context.save()
    #expect(try office.newContext().people().map(\.age) == [0, 1, 2, 3, 44, 5, 6, 7, 9])
  }

  @Test func `A reset discards changes and removes their objects`() throws {
    let people = try batches(of: 4)
    context.delete(people[9])
    people[8].age = 88
    context.reset()
    #expect(!context.hasChanges)
    #expect(people[8].managedObjectContext == nil && people[9].managedObjectContext == nil)
    #expect(people[0].managedObjectContext === context)
    try context.save()
    #expect(try office.newContext().people().map(\.age) == Array(0..<10))
  }

  @Test func `Later resets and the context's end reach retained objects`() throws {
    var loose: NSManagedObjectContext? = office.looseContext()
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.fetchBatchSize = 4
    let people = try #require(try loose?.fetch(request))
    loose?.reset()
    #expect(people[0].name != nil)
    loose?.reset()
    #expect(people[0].managedObjectContext == nil && people[9].managedObjectContext === loose)
    loose = nil
    #expect(people[9].managedObjectContext == nil && !people[9].objectID.isTemporaryID)
  }

  @Test func `Released objects leave nothing in the context`() throws {
    var people = try batches(of: 4)
    let keys = people.map(\.objectID)
    #expect(people[0].age == 0)
    context.reset()
    people = []
    #expect(context.registeredObjects.isEmpty)
    #expect(try context.existingObject(with: keys[9]).value(forKey: "age") as? Int == 9)
  }

  @Test func `A store is seeded from another one in batches`() throws {
    let other = try office.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let all = try batches(of: 3)
    for (place, person) in all.enumerated() {
      let copy = context.person(person.name ?? "none", age: person.age + 100)
      context.assign(copy, to: other)
      if place % 3 == 2 || place == all.count - 1 {
        try context.save()
        context.reset()
      }
    }
    let copies = try office.newContext().people("age >= 100")
    #expect(
      copies.map(\.name) == (0..<10).map { "P\($0)" } && copies.map(\.age) == Array(100..<110))
  }
}
