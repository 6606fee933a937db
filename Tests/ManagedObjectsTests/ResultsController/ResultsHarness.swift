import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import Testing

/// The setup of a controller of people.
struct ResultsSetup: CustomTestStringConvertible, Sendable {
  var sort: [(String, Bool)] = [("name", true)]
  var section: String?
  var predicate: String?
  var batchSize = 0

  var testDescription: String {
    "\(sort) \(section ?? "no sections") \(predicate ?? "all") batch \(batchSize)"
  }

  var request: NSFetchRequest<Person> {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = sort.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.fetchBatchSize = batchSize
    return request
  }

  func controller(_ context: NSManagedObjectContext) -> NSFetchedResultsController<Person> {
    NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
  }

  /// The sort values and the section of an object, as text.
  func values(of person: Person) -> [String] {
    (sort.map(\.0) + [section].compactMap(\.self)).map {
      person.value(forKeyPath: $0).map { "\($0)" } ?? "nil"
    }
  }

  static let all = [
    ResultsSetup(),
    ResultsSetup(sort: [("age", false)]),
    ResultsSetup(sort: [("age", true), ("name", true)], section: "age"),
    ResultsSetup(sort: [("age", false)], section: "age", predicate: "age < 4"),
    ResultsSetup(sort: [("company.name", true), ("name", false)], section: "company.name"),
    ResultsSetup(sort: [("age", true)], predicate: "name != 'N3' AND age > 1"),
    ResultsSetup(sort: [("name", true)], batchSize: 3),
    ResultsSetup(sort: [("age", true)], section: "age", predicate: "age != 2", batchSize: 2),
  ]
}
