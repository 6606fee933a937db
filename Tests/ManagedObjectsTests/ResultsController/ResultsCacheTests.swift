import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// A file of people whose controllers use a cache.
private struct CachedOffice {
  let office: Office
  let folder: URL
  let dependencies: StackDependencies
  let delegate = ReplayingDelegate()

  init(_ folder: URL) throws {
    self.folder = folder
    var dependencies = StackDependencies.current
    dependencies.files = LocalFiles(cacheHome: folder.appendingPathComponent("caches"))
    dependencies.checksQueues = false
    self.dependencies = dependencies
    office = try StackDependencies.$current.withValue(dependencies) {
      try Office(at: folder.appendingPathComponent("Office.sqlite"))
    }
  }

  var context: NSManagedObjectContext { office.context }

  func controller(_ name: String? = "people", predicate: String? = nil, section: String = "age")
    -> NSFetchedResultsController<Person>
  {
    var setup = ResultsSetup(sort: [("age", true)], section: section, predicate: predicate)
    setup.batchSize = 2
    return NSFetchedResultsController(
      fetchRequest: setup.request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: name)
  }

  func delete(_ name: String?) {
    StackDependencies.$current.withValue(dependencies) {
      NSFetchedResultsController<Person>.deleteCache(withName: name)
    }
  }

  /// The names of the cache files.
  var files: [String] {
    let enumerator = FileManager.default.enumerator(
      at: folder.appendingPathComponent("caches"), includingPropertiesForKeys: nil)
    return (enumerator?.allObjects ?? []).compactMap { ($0 as? URL)?.lastPathComponent }
      .filter { $0.hasSuffix(".json") }.sorted()
  }

  /// Whether a fetch of a controller takes the sections from a file, without reading objects.
  func isHit(_ controller: NSFetchedResultsController<Person>) throws -> Bool {
    context.reset()
    try controller.performFetch()
    return controller.fetchedObjects?.allSatisfy(\.isFault) == true
  }
}

@Suite struct ResultsCacheTests {
  /// Opens an office with five people in a temporary folder.
  private func withOffice(_ body: (CachedOffice) throws -> Void) throws {
    try withTemporaryDirectory { folder in
      let cached = try CachedOffice(folder)
      for number in 0..<5 { _ = cached.context.person("P\(number)", age: number / 2) }
      try cached.context.save()
      cached.context.reset()
      try body(cached)
    }
  }

  @Test func `A second controller takes the sections from the file and reads no objects`() throws {
    try withOffice { cached in
      let isFirstHit = try cached.isHit(cached.controller())
      #expect(!isFirstHit && cached.files == ["people.json"])
      let second = cached.controller()
      let isSecondHit = try cached.isHit(second)
      #expect(isSecondHit)
      #expect(second.sections?.map(\.name) == ["0", "1", "2"])
      #expect(second.sections?.map(\.numberOfObjects) == [2, 2, 1])
      #expect(second.cacheName == "people")
    }
  }

  @Test func `Another coordinator takes the sections from the file`() throws {
    try withOffice { cached in
      try cached.controller().performFetch()
      let later = try CachedOffice(cached.folder)
      #expect(try later.isHit(later.controller()))
    }
  }

  @Test func `Another order, predicate or section makes the file invalid`() throws {
    try withOffice { cached in
      try cached.controller().performFetch()
      #expect(try !cached.isHit(cached.controller(predicate: "age < 2")))
      #expect(try cached.isHit(cached.controller(predicate: "age < 2")))
      let descending = cached.controller(predicate: "age < 2")
      descending.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      #expect(try !cached.isHit(descending))
      #expect(descending.sections?.map(\.name) == ["1", "0"])
      #expect(try !cached.isHit(cached.controller(section: "company.name")))
    }
  }

  @Test func `A change of the store by others makes the file invalid`() throws {
    try withOffice { cached in
      try cached.controller().performFetch()
      let other = try CachedOffice(cached.folder)
      try #require(try other.context.people().first).age = 2
      try other.context.save()
      let controller = cached.controller()
      #expect(try !cached.isHit(controller))
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 2, 2])
    }
  }

  @Test func `A controller with a delegate keeps the file valid across its saves`() throws {
    try withOffice { cached in
      let controller = cached.controller()
      controller.delegate = cached.delegate
      try controller.performFetch()
      cached.delegate.restart(controller)
      _ = cached.context.person("P9", age: 7)
      try cached.context.save()
      let second = cached.controller()
      #expect(try cached.isHit(second))
      #expect(second.sections?.map(\.name) == ["0", "1", "2", "7"])
    }
  }

  @Test func `A controller does not vouch for changes that it has not seen`() throws {
    try withOffice { cached in
      let controller = cached.controller()
      controller.delegate = cached.delegate
      try controller.performFetch()
      cached.delegate.restart(controller)
      let other = try CachedOffice(cached.folder)
      try #require(try other.context.people().first).age = 2
      try other.context.save()
      _ = cached.context.person("P9", age: 7)
      try cached.context.save()
      let later = try CachedOffice(cached.folder)
      #expect(try !later.isHit(later.controller()))
    }
  }

  @Test func `Unsaved changes are not cached, and nor are predicates with objects`() throws {
    try withOffice { cached in
      _ = cached.context.person("P9", age: 9)
      try cached.controller().performFetch()
      #expect(cached.files.isEmpty)
      cached.context.rollback()
      let controller = cached.controller()
      let person = try #require(try cached.context.people().first)
      controller.fetchRequest.predicate = NSPredicate(format: "self != %@", person)
      try controller.performFetch()
      #expect(cached.files.isEmpty && controller.fetchedObjects?.count == 4)
    }
  }

  @Test func `Sections of a predicate that depends on the time are not cached`() throws {
    try withOffice { cached in
      let controller = cached.controller(predicate: "CAST(now(), 'NSNumber') > age")
      try controller.performFetch()
      #expect(cached.files.isEmpty && controller.fetchedObjects?.count == 5)
    }
  }

  @Test func `Another locale makes the file invalid`() throws {
    try withOffice { cached in
      try cached.controller().performFetch()
      let file = try file(of: cached)
      var contents = try #require(
        JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
      #expect(contents["locale"] as? String == Locale.current.identifier)
      contents["locale"] = "xx"
      try JSONSerialization.data(withJSONObject: contents).write(to: file)
      #expect(try !cached.isHit(cached.controller()))
      #expect(try cached.isHit(cached.controller()))
    }
  }

  private func file(of cached: CachedOffice) throws -> URL {
    try #require(
      FileManager.default.enumerator(at: cached.folder, includingPropertiesForKeys: nil)?
        .allObjects.compactMap { $0 as? URL }.first { $0.lastPathComponent == "people.json" })
  }

  @Test func `A damaged file is replaced`() throws {
    try withOffice { cached in
      try cached.controller().performFetch()
      let file = try file(of: cached)
      try Data("{".utf8).write(to: file)
      let controller = cached.controller()
      #expect(try !cached.isHit(controller) && controller.sections?.count == 3)
      #expect(try cached.isHit(cached.controller()))
    }
  }

  @Test func `A cache is deleted by its name, and all caches without a name`() throws {
    try withOffice { cached in
      for name in ["a", "b/c", "d"] { try cached.controller(name).performFetch() }
      #expect(cached.files == ["a.json", "b%2Fc.json", "d.json"])
      cached.delete("b/c")
      #expect(cached.files == ["a.json", "d.json"])
      cached.delete(nil)
      #expect(cached.files.isEmpty)
      cached.delete("a")
    }
  }

  @Test func `A changed request needs a deleted cache`() async throws {
    try withOffice { cached in
      let controller = cached.controller()
      try controller.performFetch()
      cached.delete("people")
      controller.fetchRequest.predicate = NSPredicate(format: "age < 2")
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 4)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try ResultsCacheTests().withOffice { cached in
        let controller = cached.controller()
        try controller.performFetch()
        controller.fetchRequest.predicate = NSPredicate(format: "age < 2")
        try controller.performFetch()
      }
    }
    let output = standardError(of: result)
    #expect(output.contains("Call deleteCache(withName:) before you change the request"))
  }
}
