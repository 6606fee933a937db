import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// A delegate that takes snapshots, and has other methods that must not be called.
private final class SnapshotListener: NSObject, NSFetchedResultsControllerDelegate {
  var snapshots: [NSDiffableDataSourceSnapshotReference] = []
  var others = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) { snapshots.append(snapshot) }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { others += 1 }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { others += 1 }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { others += 1 }
}

/// A delegate that takes differences.
private final class DifferenceListener: NSObject, NSFetchedResultsControllerDelegate {
  var shown: [NSManagedObjectID] = []
  var count = 0
  var ends = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    count += 1
    shown = shown.applying(diff) ?? []
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { ends += 1 }
}

@Suite struct ResultsSnapshotTests {
  private let office: Office
  private let context: NSManagedObjectContext

  /// The people A (1), B (1), C (2).
  init() throws {
    office = try Office()
    context = office.context
    for (name, age) in [("A", 1), ("B", 1), ("C", 2)] { _ = context.person(name, age: age) }
    try context.save()
  }

  private let byAge = ResultsSetup(sort: [("age", true), ("name", true)], section: "age")

  @Test func `A delegate that takes snapshots is notified of fetches and changes only`()
    throws
  {
    let controller = byAge.controller(context)
    let listener = SnapshotListener()
    controller.delegate = listener
    try controller.performFetch()
    let first = try #require(listener.snapshots.first)
    let people = try #require(controller.fetchedObjects)
    #expect(first.sectionIdentifiers as? [String] == ["1", "2"])
    #expect(first.itemIdentifiers as? [NSManagedObjectID] == people.map(\.objectID))
    people[0].age = 2
    people[1].name = "BB"
    context.processPendingChanges()
    let second = try #require(listener.snapshots.last)
    #expect(listener.snapshots.count == 2 && listener.others == 0)
    #expect(
      second.itemIdentifiersInSection(withIdentifier: "2") as? [NSManagedObjectID]
        == [people[0].objectID, people[2].objectID])
    #expect(second.numberOfItems(inSection: "1") == 1)
    #expect(
      Set(second.reloadedItemIdentifiers as? [NSManagedObjectID] ?? [])
        == [people[0].objectID, people[1].objectID])
    #expect(second.numberOfItems == 3 && second.numberOfSections == 2)
    #expect(second.index(ofItemIdentifier: people[2].objectID) == 2)
    #expect(second.index(ofSectionIdentifier: "3") == NSNotFound)
    #expect(
      second.sectionIdentifier(forSectionContainingItemIdentifier: people[2].objectID) as? String
        == "2")
    #expect(second.sectionIdentifier(forSectionContainingItemIdentifier: "?") == nil)
  }

  @Test func `A snapshot does not follow later changes`() throws {
    let controller = byAge.controller(context)
    let listener = SnapshotListener()
    controller.delegate = listener
    try controller.performFetch()
    _ = context.person("D", age: 9)
    context.processPendingChanges()
    #expect(listener.snapshots.map(\.numberOfItems) == [3, 4])
  }

  @Test func `A controller without sections gives differences to a delegate that takes them`()
    throws
  {
    var random = SeededGenerator.forTest()
    let controller = ResultsSetup().controller(context)
    let listener = DifferenceListener()
    controller.delegate = listener
    try controller.performFetch()
    listener.shown = controller.fetchedObjects?.map(\.objectID) ?? []
    for round in 1...20 {
      let people = controller.fetchedObjects ?? []
      people.randomElement(using: &random)?.name = "N\(Int.random(in: 0..<9, using: &random))"
      _ = context.person("M\(Int.random(in: 0..<9, using: &random))")
      if let gone = people.randomElement(using: &random), round % 3 == 0 { context.delete(gone) }
      try context.obtainPermanentIDs(for: Array(context.insertedObjects))
      context.processPendingChanges()
      #expect(listener.shown == controller.fetchedObjects?.map(\.objectID), "\(random)")
      #expect(listener.count == round && listener.ends == 0)
    }
  }

  @Test func `A save reports the permanent identifiers of new objects`() throws {
    let controllers = [byAge, ResultsSetup()].map { $0.controller(context) }
    let snapshots = SnapshotListener()
    let differences = DifferenceListener()
    controllers[0].delegate = snapshots
    controllers[1].delegate = differences
    for controller in controllers { try controller.performFetch() }
    differences.shown = controllers[1].fetchedObjects?.map(\.objectID) ?? []
    _ = context.person("D", age: 9)
    context.processPendingChanges()
    #expect(
      (snapshots.snapshots.last?.itemIdentifiers as? [NSManagedObjectID])?.last?.isTemporaryID
        == true)
    try context.save()
    let people = try #require(controllers[0].fetchedObjects)
    let last = try #require(snapshots.snapshots.last)
    #expect(last.itemIdentifiers as? [NSManagedObjectID] == people.map(\.objectID))
    #expect(last.value.objectIDs.allSatisfy { !$0.isTemporaryID })
    #expect(differences.shown == controllers[1].fetchedObjects?.map(\.objectID))
    let count = (snapshots.snapshots.count, differences.count)
    people[0].name = "AA"
    try context.save()
    #expect(snapshots.snapshots.count == count.0 + 1 && differences.count == count.1 + 1)
  }

  @Test func `A controller with sections gives no differences`() throws {
    let controller = byAge.controller(context)
    let listener = DifferenceListener()
    controller.delegate = listener
    try controller.performFetch()
    _ = context.person("D")
    context.processPendingChanges()
    #expect(listener.count == 0 && listener.ends == 1)
  }

  @Test(.endsAtAll) func `Snapshots arrive as a sequence that ends with the controller`()
    async throws
  {
    let office = try Office()
    let context = office.context
    _ = context.person("A")
    var controller: NSFetchedResultsController<Person>? = byAge.controller(context)
    let stream = try #require(controller?.snapshots)
    try controller?.performFetch()
    var snapshots = stream.makeAsyncIterator()
    #expect(await snapshots.next()?.objectIDs.count == 1)
    _ = context.person("B", age: 3)
    context.processPendingChanges()
    let second = try #require(await snapshots.next())
    #expect(second.sections.map(\.name) == ["0", "3"])
    for name in ["C", "D"] {
      _ = context.person(name)
      context.processPendingChanges()
    }
    #expect(await snapshots.next()?.objectIDs.count == 4)
    var late = try #require(controller?.snapshots).makeAsyncIterator()
    #expect(await late.next()?.objectIDs.count == 4)
    controller = nil
    #expect(await snapshots.next() == nil)
    #expect(await late.next() == nil)
  }
}
