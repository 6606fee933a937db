import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Observation
import PredicateLanguage
import Synchronization
import Testing

/// Observation of objects by views, in contexts that enable it.
@Suite struct ObservationTests {
  private let office: Office
  private let context: NSManagedObjectContext
  private let person: Person

  init() throws {
    office = try Office()
    context = office.context
    context.tracksObservation = true
    person = context.person("Ada", age: 1, in: context.company("Ice"))
    try context.save()
  }

  /// Whether a change notifies the observer of a read.
  private func isNotified(reading read: () -> Void, by change: () throws -> Void) rethrows -> Bool {
    let isNotified = Mutex(false)
    withObservationTracking(read) { isNotified.withLock { $0 = true } }
    try change()
    return isNotified.withLock { $0 }
  }

  @Test func `A change of a property notifies only its readers`() {
    #expect(
      isNotified {
        _ = person.name
      } by: {
        person.name = "Bob"
      })
    #expect(
      !isNotified {
        _ = person.age
      } by: {
        person.name = "Cy"
      })
    #expect(
      isNotified {
        _ = person.value(forKey: "nickname")
      } by: {
        person.setValue("C", forKey: "nickname")
      })
    #expect(
      isNotified {
        _ = person.value(forKeyPath: "company.name")
      } by: {
        person.company?.name = "Fire"
      })
  }

  @Test func `Both sides of a relationship notify`() throws {
    let company = try #require(person.company)
    #expect(
      isNotified {
        _ = company.employees
      } by: {
        _ = context.person("Di", in: company)
      })
    #expect(
      isNotified {
        _ = person.company
      } by: {
        company.employees = []
      })
    #expect(
      isNotified {
        _ = company.board
      } by: {
        company.mutableOrderedSetValue(forKey: "board").add(person)
      })
  }

  @Test func `Merged changes of others notify`() throws {
    let other = office.newContext()
    try #require(try other.people().first).age = 50
    try other.save()
    #expect(
      isNotified {
        _ = person.age
      } by: {
        context.refresh(person, mergeChanges: true)
      })
    #expect(person.age == 50)
    person.name = "Mine"
    try #require(try other.people().first).age = 60
    try other.save()
    #expect(
      isNotified {
        _ = person.age
      } by: {
        context.refresh(person, mergeChanges: true)
      })
    #expect(
      !isNotified {
        _ = person.name
      } by: {
        context.refresh(person, mergeChanges: true)
      })
    #expect(person.age == 60 && person.name == "Mine")
  }

  @Test func `Rollback and undo notify`() {
    context.undoManager = ManagedObjects.UndoManager()
    person.age = 5
    #expect(
      isNotified {
        _ = person.age
      } by: {
        context.undo()
      })
    person.age = 6
    #expect(
      isNotified {
        _ = person.age
      } by: {
        context.rollback()
      })
    #expect(person.age == 1)
  }

  @Test func `A save does not notify property observers`() throws {
    person.age = 9
    #expect(
      try !isNotified {
        _ = (person.age, person.name, person.company)
      } by: {
        try context.save()
      })
  }

  @Test func `Contexts without observation do not notify`() throws {
    let other = office.newContext()
    let same = try #require(try other.people().first)
    #expect(
      !isNotified {
        _ = same.name
      } by: {
        same.name = "Eve"
      })
    other.tracksObservation = true
    #expect(
      isNotified {
        _ = same.name
      } by: {
        same.name = "Flo"
      })
    other.tracksObservation = false
    #expect(
      !isNotified {
        _ = same.name
      } by: {
        same.name = "Gus"
      })
  }

  @Test func `A change observation is called before and after changes in any context`() throws {
    context.tracksObservation = false
    var notices: [String] = []
    var observation: NSManagedObject.ChangeObservation? = person.observeChanges(
      willChange: { [person] in notices.append("will \($0) \(person.age)") },
      didChange: { [person] in notices.append("did \($0) \(person.age)") })
    person.age = 2
    #expect(notices == ["will age 1", "did age 2"])
    notices = []
    context.tracksObservation = true
    context.tracksObservation = false
    context.rollback()
    #expect(notices.contains("will age 2") && notices.contains("did age 1"))
    notices = []
    observation?.cancel()
    person.age = 3
    observation = nil
    person.age = 4
    #expect(notices.isEmpty)
  }

  @Test func `A released observation calls nothing`() throws {
    var count = 0
    _ = person.observeChanges(willChange: { _ in count += 1 })
    person.age = 2
    #expect(count == 0)
  }

  @Test func `An observed object is freed when it is released`() throws {
    let other = office.looseContext()
    other.tracksObservation = true
    weak var weakPerson: Person?
    do {
      let same = try #require(try other.people().first)
      weakPerson = same
      #expect(
        isNotified {
          _ = same.name
        } by: {
          same.name = "Eve"
        })
      other.rollback()
    }
    #expect(weakPerson == nil)
  }
}
