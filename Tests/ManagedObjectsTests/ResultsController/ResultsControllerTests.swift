import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// A delegate with one method, which is enough for tracking.
private final class EndListener: NSObject, NSFetchedResultsControllerDelegate {
  var count = 0
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { count += 1 }
}

/// A delegate that removes itself at the end of its first change.
private final class OnceListener: NSObject, NSFetchedResultsControllerDelegate {
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { controller.delegate = nil }
}

/// A delegate that passes its one call on to an object that lacks the method.
private final class ForwardingListener: NSObject, NSFetchedResultsControllerDelegate {
  let next: any NSFetchedResultsControllerDelegate = Titles()
  var count = 0
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    count += 1
    next.controllerDidChangeContent(controller)
  }
}

/// A delegate without methods for changes.
private final class Titles: NSObject, NSFetchedResultsControllerDelegate {
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { "§\(sectionName)" }
}

/// A controller with its own index titles.
private final class TitledController: NSFetchedResultsController<Person> {
  override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    Int(sectionName).map { $0 < 3 ? "low" : "high" }
  }
}

@Suite struct ResultsControllerTests {
  private let office: Office
  private let context: NSManagedObjectContext
  private let delegate = ReplayingDelegate()

  /// The people A (1), B (1), C (2), D (3).
  init() throws {
    office = try Office()
    context = office.context
    for (name, age) in [("A", 1), ("B", 1), ("C", 2), ("D", 3)] {
      _ = context.person(name, age: age)
    }
    try context.save()
  }

  private var byAge: ResultsSetup {
    ResultsSetup(sort: [("age", true), ("name", true)], section: "age")
  }

  private func open(_ setup: ResultsSetup = ResultsSetup()) throws
    -> NSFetchedResultsController<Person>
  {
    let controller = setup.controller(context)
    controller.delegate = delegate
    try controller.performFetch()
    delegate.restart(controller)
    return controller
  }

  private func names(_ controller: NSFetchedResultsController<Person>) -> [String?] {
    (controller.fetchedObjects ?? []).map(\.name)
  }

  // MARK: Fetching

  @Test func `Before the first fetch there are no results`() {
    let controller = byAge.controller(context)
    #expect(controller.fetchedObjects == nil && controller.sections == nil)
    #expect(controller.sectionIndexTitles.isEmpty)
    #expect(controller.sectionNameKeyPath == "age" && controller.cacheName == nil)
    #expect(controller.managedObjectContext === context)
  }

  @Test func `Results are divided into sections`() throws {
    let controller = try open(byAge)
    #expect(names(controller) == ["A", "B", "C", "D"])
    let sections = try #require(controller.sections)
    #expect(sections.map(\.name) == ["1", "2", "3"])
    #expect(sections.map(\.numberOfObjects) == [2, 1, 1])
    #expect((sections[0].objects as? [Person])?.map(\.name) == ["A", "B"])
    #expect(controller.object(at: IndexPath(row: 1, section: 0)).name == "B")
    let last = try #require(controller.fetchedObjects?.last)
    #expect(controller.indexPath(forObject: last) == IndexPath(item: 0, section: 2))
    #expect(controller.indexPath(forObject: context.person("X")) == nil)
  }

  @Test func `Without a section key path there is one section, even if it is empty`() throws {
    let controller = try open(ResultsSetup(predicate: "age > 9"))
    #expect(controller.sections?.map(\.name) == [""])
    #expect(controller.sections?.first?.numberOfObjects == 0)
    #expect(controller.fetchedObjects?.isEmpty == true)
  }

  @Test func `Objects without a value belong to a section with an empty name`() throws {
    let setup = ResultsSetup(sort: [("company.name", true)], section: "company.name")
    #expect(try open(setup).sections?.map(\.name) == [""])
  }

  @Test func `A section out of order is an error that names the object`() throws {
    let controller = ResultsSetup(sort: [("age", true)], section: "name").controller(context)
    try controller.performFetch()
    _ = context.person("A", age: 9)
    let error = #expect(throws: NSError.self) { try controller.performFetch() }
    #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSCoreDataError)
    #expect((error?.userInfo["reason"] as? String)?.contains("index 4") == true)
    #expect(controller.fetchedObjects?.count == 4)
  }

  @Test func `A request without sort descriptors is refused`() async throws {
    let controller = ResultsSetup().controller(context)
    controller.fetchRequest.sortDescriptors = []
    let error = #expect(throws: NSError.self) { try controller.performFetch() }
    #expect(error?.code == NSCoreDataError)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSFetchedResultsController(
        fetchRequest: NSFetchRequest<Person>(entityName: "Person"),
        managedObjectContext: .onAnyThread(), sectionNameKeyPath: nil, cacheName: nil)
    }
    let output = standardError(of: result)
    #expect(output.contains("requires a fetch request with sort descriptors"))
  }

  @Test func `A missing index path stops the program`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Office().context
      let controller = ResultsSetup().controller(context)
      try controller.performFetch()
      _ = controller.object(at: IndexPath(row: 0, section: 0))
    }
    #expect(standardError(of: result).contains("There is no object at"))
  }

  @Test func `A changed request takes effect with the next fetch`() throws {
    let controller = try open()
    controller.fetchRequest.predicate = NSPredicate(format: "age == 1")
    _ = context.person("E", age: 5)
    context.processPendingChanges()
    #expect(names(controller) == ["A", "B", "C", "D", "E"])
    try controller.performFetch()
    #expect(names(controller) == ["A", "B"])
  }

  // MARK: Kinds of tracking

  @Test func `Without a delegate the results are those of the fetch`() throws {
    let controller = ResultsSetup().controller(context)
    try controller.performFetch()
    _ = context.person("E")
    context.processPendingChanges()
    #expect(names(controller) == ["A", "B", "C", "D"])
    try controller.performFetch()
    #expect(names(controller) == ["A", "B", "C", "D", "E"])
  }

  @Test func `One method for changes is enough for tracking`() throws {
    let controller = ResultsSetup().controller(context)
    let listener = EndListener()
    controller.delegate = listener
    try controller.performFetch()
    _ = context.person("AA")
    #expect(names(controller).count == 4)
    context.processPendingChanges()
    #expect(names(controller) == ["A", "AA", "B", "C", "D"])
    #expect(listener.count == 1)
  }

  @Test func `A delegate without methods for changes does not cause tracking`() throws {
    let controller = ResultsSetup().controller(context)
    let titles = Titles()
    controller.delegate = titles
    try controller.performFetch()
    for name in ["E", "F"] {
      _ = context.person(name)
      context.processPendingChanges()
      #expect(names(controller) == ["A", "B", "C", "D"])
    }
  }

  @Test func `A delegate that is set late is notified of missed changes with the next one`() throws
  {
    let controller = ResultsSetup().controller(context)
    try controller.performFetch()
    let first = try #require(controller.fetchedObjects?.first)
    first.name = "Z"
    context.delete(controller.object(at: [0, 1]))
    context.processPendingChanges()
    delegate.restart(controller)
    controller.delegate = delegate
    _ = context.person("E")
    context.processPendingChanges()
    #expect(names(controller) == ["C", "D", "E", "Z"])
    #expect(delegate.matches(controller) && delegate.eventCount == 1)
  }

  @Test func `A removed delegate receives nothing`() throws {
    let controller = try open()
    controller.delegate = nil
    _ = context.person("E")
    context.processPendingChanges()
    #expect(delegate.log.isEmpty && names(controller).count == 4)
  }

  @Test func `A delegate that removes itself leaves the new results`() throws {
    let controller = try open()
    let once = OnceListener()
    controller.delegate = once
    _ = context.person("E")
    context.processPendingChanges()
    #expect(controller.delegate == nil && names(controller).count == 5)
  }

  @Test func `A delegate may pass calls on to an object that lacks the method`() throws {
    let controller = try open()
    let forwarding = ForwardingListener()
    controller.delegate = forwarding
    for name in ["E", "F"] {
      _ = context.person(name)
      context.processPendingChanges()
    }
    #expect(forwarding.count == 2 && names(controller).count == 6)
  }

  @Test func `A controller does not keep its delegate, nor the context its controller`() throws {
    weak var gone: NSFetchedResultsController<Person>?
    do {
      let controller = try open()
      gone = controller
      controller.delegate = EndListener()
      #expect(controller.delegate == nil)
      controller.delegate = delegate
    }
    #expect(gone == nil)
    _ = context.person("E")
    context.processPendingChanges()
    #expect(delegate.log.isEmpty)
  }

  // MARK: Reports

  @Test func `Sections are reported before objects, with old and new index paths`() throws {
    let controller = try open(byAge)
    let people = try #require(controller.fetchedObjects)
    people[2].age = 7
    _ = context.person("E", age: 1)
    context.delete(people[0])
    #expect(controller.indexPath(forObject: people[2]) == [1, 0])
    context.processPendingChanges()
    #expect(
      delegate.log == [
        "will", "delete section 2@1", "insert section 7@2", "delete 0.0 -", "insert - 0.1",
        "move 1.0 2.0", "did",
      ])
  }

  @Test func `A changed sort key is a move, and any other change an update`() throws {
    let controller = try open()
    let people = try #require(controller.fetchedObjects)
    people[1].name = "X"
    people[2].age = 5
    context.processPendingChanges()
    #expect(delegate.log == ["will", "move 0.1 0.3", "update 0.2 0.1", "did"])
  }

  @Test func `An object that leaves the predicate is deleted, and one that enters inserted`() throws
  {
    let controller = try open(ResultsSetup(predicate: "age == 1"))
    let people = try #require(controller.fetchedObjects)
    let other = try #require(try context.people("name == 'D'").first)
    people[0].age = 4
    other.age = 1
    context.processPendingChanges()
    #expect(delegate.log == ["will", "delete 0.0 -", "insert - 0.1", "did"])
  }

  @Test func `A subentity's attribute selects, sorts and divides objects of other entities`() throws
  {
    let manager = context.insert("Manager", as: Person.self)
    manager.name = "M"
    try context.save()
    let controller = try open(
      ResultsSetup(
        sort: [("level", false), ("name", true)], section: "level",
        predicate: "level == nil OR level > 0"))
    #expect(names(controller) == ["M", "A", "B", "C", "D"])
    #expect(controller.sections?.map(\.name) == ["1", ""])
    let first = try #require(try context.people("name == 'A'").first)
    first.name = "F"
    _ = context.person("E")
    context.processPendingChanges()
    #expect(names(controller) == ["M", "B", "C", "D", "E", "F"])
    #expect(delegate.log == ["will", "insert - 1.3", "move 1.0 1.4", "did"])
  }

  @Test func `Changes of other objects are not reported`() throws {
    let controller = try open(ResultsSetup(predicate: "age < 3"))
    _ = context.company("Ice")
    try #require(try context.people("name == 'D'").first).name = "E"
    _ = context.person("F", age: 9)
    context.processPendingChanges()
    try context.save()
    #expect(delegate.log.isEmpty && controller.fetchedObjects?.count == 3)
  }

  @Test func `An object that was inserted and deleted in one event is not reported`() throws {
    let controller = try open()
    context.delete(context.person("E"))
    context.processPendingChanges()
    #expect(delegate.log.isEmpty && controller.fetchedObjects?.count == 4)
  }

  @Test func `An insertion before a deletion has index paths before and after`() throws {
    let controller = try open()
    context.delete(controller.object(at: [0, 0]))
    _ = context.person("0")
    _ = context.person("1")
    context.processPendingChanges()
    #expect(delegate.log == ["will", "delete 0.0 -", "insert - 0.0", "insert - 0.1", "did"])
  }

  @Test func `A save and a rollback are reported as their changes`() throws {
    let controller = try open()
    _ = context.person("E")
    try context.save()
    #expect(delegate.log == ["will", "insert - 0.4", "did"])
    context.delete(controller.object(at: [0, 0]))
    context.rollback()
    #expect(names(controller) == ["A", "B", "C", "D", "E"] && delegate.eventCount == 3)
  }

  @Test func `An object whose row is gone is deleted when it is refreshed`() throws {
    let controller = try open()
    let first = controller.object(at: [0, 0])
    let other = office.newContext()
    other.delete(other.object(with: first.objectID))
    try other.save()
    context.refresh(first, mergeChanges: false)
    context.processPendingChanges()
    #expect(names(controller) == ["B", "C", "D"])
    #expect(delegate.log == ["will", "delete 0.0 -", "did"])
  }

  @Test func `An object that loses its changes in a refresh is reported`() throws {
    let controller = try open()
    let first = controller.object(at: [0, 0])
    first.name = "Z"
    context.processPendingChanges()
    delegate.restart(controller)
    context.refresh(first, mergeChanges: false)
    context.processPendingChanges()
    #expect(delegate.log == ["will", "move 0.3 0.0", "did"])
  }

  @Test func `A reset is not reported, and ends tracking until the next fetch`() throws {
    let controller = try open()
    context.reset()
    _ = context.person("E")
    context.processPendingChanges()
    #expect(delegate.log.isEmpty && controller.fetchedObjects?.count == 4)
    try controller.performFetch()
    delegate.restart(controller)
    _ = context.person("F")
    context.processPendingChanges()
    #expect(delegate.log == ["will", "insert - 0.5", "did"])
  }

  @Test func `A merged update of an object that the context does not know can insert it`() throws {
    context.reset()
    let controller = try open(ResultsSetup(predicate: "age == 1"))
    let other = office.newContext()
    try #require(try other.people("name == 'D'").first).age = 1
    let saves = Listener(other, .NSManagedObjectContextDidSave)
    try other.save()
    context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(delegate.log == ["will", "insert - 0.2", "did"])
    #expect(names(controller) == ["A", "B", "D"])
  }

  @Test func `Changes that a delegate makes are reported after the current change`() throws {
    let controller = try open()
    let editor = Editor(context)
    controller.delegate = editor
    _ = context.person("E")
    context.processPendingChanges()
    #expect(editor.log == ["will 4", "did 5", "will 5", "did 6"])
    #expect(names(controller) == ["A", "B", "C", "D", "E", "F"])
  }

  @Test func `The controller that a delegate receives is equal to the program's`() throws {
    let controller = try open()
    let editor = Editor(context)
    controller.delegate = editor
    _ = context.person("E")
    context.processPendingChanges()
    let received = try #require(editor.received)
    #expect(received == controller && received.hash == controller.hash)
    #expect(received != ResultsSetup().controller(context))
    #expect(received.fetchedObjects?.count == 6 && received.fetchRequest.entityName == "Person")
    #expect((received.object(at: [0, 0]) as? Person)?.name == "A")
  }

  @Test func `A child context's controller follows the saves of its parent`() throws {
    let child = NSManagedObjectContext.onAnyThread()
    child.parent = context
    let controller = ResultsSetup().controller(child)
    controller.delegate = delegate
    try controller.performFetch()
    delegate.restart(controller)
    _ = child.person("E")
    child.processPendingChanges()
    try child.save()
    #expect(delegate.log == ["will", "insert - 0.4", "did"])
    let saves = Listener(context, .NSManagedObjectContextDidSave)
    _ = context.person("F")
    try context.save()
    child.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
    #expect(names(controller) == ["A", "B", "C", "D", "E", "F"])
  }

  // MARK: Titles

  @Test func `An index title is the capitalized first letter, once for adjacent sections`() throws {
    for name in ["anna", "Albert", "berta"] { _ = context.person(name, age: 40) }
    let setup = ResultsSetup(sort: [("name", true)], section: "name", predicate: "age == 40")
    let controller = try open(setup)
    #expect(controller.sections?.map(\.name) == ["Albert", "anna", "berta"])
    #expect(controller.sections?.map(\.indexTitle) == ["A", "A", "B"])
    #expect(controller.sectionIndexTitles == ["A", "B"])
    #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 2)
  }

  @Test func `A delegate or a subclass chooses index titles`() throws {
    let controller = byAge.controller(context)
    let titles = Titles()
    controller.delegate = titles
    try controller.performFetch()
    #expect(controller.sectionIndexTitles == ["§1", "§2", "§3"])
    let titled = TitledController(
      fetchRequest: byAge.request, managedObjectContext: context, sectionNameKeyPath: "age",
      cacheName: nil)
    try titled.performFetch()
    #expect(titled.sectionIndexTitles == ["low", "high"])
    #expect(titled.section(forSectionIndexTitle: "high", at: 1) == 2)
  }

  // MARK: Other results

  @Test func `Identifiers and dictionaries are fetched, but not tracked`() throws {
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name", "age"]
    request.sortDescriptors = byAge.request.sortDescriptors
    let dictionaries = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "age",
      cacheName: nil)
    let identified = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
    identified.resultType = .managedObjectIDResultType
    identified.sortDescriptors = byAge.request.sortDescriptors
    let identifiers = NSFetchedResultsController(
      fetchRequest: identified, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    dictionaries.delegate = delegate
    identifiers.delegate = delegate
    try dictionaries.performFetch()
    try identifiers.performFetch()
    #expect(dictionaries.sections?.map(\.numberOfObjects) == [2, 1, 1])
    #expect(dictionaries.object(at: [1, 0])["name"] as? String == "C")
    let expected = try context.fetch(identified)
    #expect(identifiers.fetchedObjects == expected)
    _ = context.person("E")
    context.processPendingChanges()
    #expect(delegate.log.isEmpty && identifiers.fetchedObjects?.count == 4)
  }

  @Test func `Limit and offset apply to the fetch, not to tracked changes`() throws {
    let setup = ResultsSetup()
    let controller = setup.controller(context)
    controller.fetchRequest.fetchLimit = 2
    controller.fetchRequest.fetchOffset = 1
    controller.delegate = delegate
    try controller.performFetch()
    delegate.restart(controller)
    #expect(names(controller) == ["B", "C"])
    _ = context.person("BB")
    context.processPendingChanges()
    #expect(names(controller) == ["B", "BB", "C"] && delegate.log.count == 3)
  }
}

/// A delegate that inserts a person when it is notified of a change for the first time.
private final class Editor: NSObject, NSFetchedResultsControllerDelegate {
  let context: NSManagedObjectContext
  var log: [String] = []
  var received: NSFetchedResultsController<any NSFetchRequestResult>?

  init(_ context: NSManagedObjectContext) {
    self.context = context
  }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    log.append("will \(controller.fetchedObjects?.count ?? 0)")
    guard received == nil else { return }
    received = controller
    _ = context.person("F")
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { context.processPendingChanges() }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { log.append("did \(controller.fetchedObjects?.count ?? 0)") }
}
