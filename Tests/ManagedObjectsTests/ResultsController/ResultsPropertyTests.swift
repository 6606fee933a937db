import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Random edits of people in two contexts, followed by a controller.
private final class RandomOffice {
  let office: Office
  let setup: ResultsSetup
  let context: NSManagedObjectContext
  let other: NSManagedObjectContext
  let controller: NSFetchedResultsController<Person>
  let delegate = ReplayingDelegate()
  var random: SeededGenerator
  private(set) var steps: [String] = []

  init(_ setup: ResultsSetup, _ random: SeededGenerator, at url: URL?) throws {
    let office = try Office(at: url)
    let context = office.context
    var generator = random
    (self.setup, self.office, self.context) = (setup, office, context)
    other = office.newContext()
    context.mergePolicy = NSMergePolicy.overwrite
    other.mergePolicy = NSMergePolicy.overwrite
    let companies = (0..<3).map { context.company("C\($0)") }
    for _ in 0..<12 {
      let person = context.person("N", in: companies.randomElement(using: &generator))
      Self.change(person, &generator)
    }
    self.random = generator
    try context.save()
    context.reset()
    controller = setup.controller(context)
    controller.delegate = delegate
    try controller.performFetch()
    delegate.restart(controller)
  }

  private static func change(_ person: Person, _ random: inout SeededGenerator) {
    let choice = Int.random(in: 0..<3, using: &random)
    if choice != 0 { person.name = "N\(Int.random(in: 0..<6, using: &random))" }
    if choice != 1 { person.age = Int.random(in: 0..<6, using: &random) }
  }

  private func people(_ context: NSManagedObjectContext) throws -> [Person] {
    let people = try context.fetch(NSFetchRequest<Person>(entityName: "Person"))
    let names = people.map { ($0, $0.objectID.uriRepresentation().absoluteString) }
    return names.sorted { $0.1 < $1.1 }.map(\.0)
  }

  private func edit(_ context: NSManagedObjectContext, count: Int) throws {
    for _ in 0..<count {
      let person = try people(context).randomElement(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: Self.change(context.person("N9", age: 3), &random)
      case 2: if let person { context.delete(person) }
      case 3:
        let companies = try context.companies()
        person?.company =
          Bool.random(using: &random) ? nil : companies.randomElement(using: &random)
      default: if let person { Self.change(person, &random) }
      }
    }
  }

  func step() throws {
    let choice = Int.random(in: 0..<12, using: &random)
    steps.append("\(choice)")
    let count = Int.random(in: 1...4, using: &random)
    switch choice {
    case 0...4: try edit(context, count: count)
    case 5: try context.save()
    case 6, 7: try merge(count, remotely: choice == 7)
    case 8:
      if let person = try people(context).randomElement(using: &random) {
        context.refresh(person, mergeChanges: Bool.random(using: &random))
      }
    case 9: context.refreshAllObjects()
    case 10: context.rollback()
    default: try resetAll()
    }
    context.processPendingChanges()
  }

  private func merge(_ count: Int, remotely: Bool) throws {
    try context.save()
    other.reset()
    try edit(other, count: count)
    let saves = Listener(other, .NSManagedObjectContextDidSave)
    let identifiers = Listener(other, .NSManagedObjectContextDidSaveObjectIDs)
    try other.save()
    guard let save = saves.notifications.last else { return }
    if remotely {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: identifiers.notifications.last?.userInfo ?? [:], into: [context])
    } else {
      context.mergeChanges(fromContextDidSave: save)
    }
  }

  private func resetAll() throws {
    if Bool.random(using: &random) { try context.save() }
    context.reset()
    try controller.performFetch()
    delegate.restart(controller)
  }

  func check() throws {
    let place = "\(random) \(setup.testDescription) \(steps)"
    #expect(delegate.matches(controller), "\(place)")
    let fresh = try context.fetch(setup.request)
    let shown = controller.fetchedObjects ?? []
    #expect(fresh.map(setup.values) == shown.map(setup.values), "\(place)")
    #expect(Set(fresh) == Set(shown), "\(place)")
    if setup.section == nil {
      #expect(controller.sections?.map(\.name) == [""], "\(place)")
    } else {
      for section in controller.sections ?? [] { check(section, place) }
    }
    for person in shown {
      let path = try #require(controller.indexPath(forObject: person), "\(place)")
      #expect(controller.object(at: path) === person, "\(place)")
    }
  }

  private func check(_ section: any NSFetchedResultsSectionInfo, _ place: String) {
    #expect(section.numberOfObjects > 0, "\(place)")
    let people = (section.objects ?? []).compactMap { $0 as? Person }
    #expect(people.count == section.numberOfObjects, "\(place)")
    for person in people {
      let value = person.value(forKeyPath: setup.section ?? "")
      #expect(section.name == value.map { "\($0)" } ?? "", "\(place)")
    }
  }
}

@Suite struct ResultsPropertyTests {
  @Test(arguments: ResultsSetup.all)
  func `Reports lead from the former results to those of a new fetch`(_ setup: ResultsSetup) throws
  {
    let random = SeededGenerator.forTest()
    for round in 0..<6 {
      let world = try RandomOffice(
        setup, SeededGenerator(seed: random.seed &+ UInt64(round)),
        at: round % 2 == 0 ? URL(fileURLWithPath: "/dev/null") : nil)
      for _ in 0..<40 {
        try world.step()
        try world.check()
      }
    }
  }
}
