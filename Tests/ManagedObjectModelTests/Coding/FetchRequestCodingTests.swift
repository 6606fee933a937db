import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

private typealias AnyRequest = NSFetchRequest<any NSFetchRequestResult>

@Suite struct `Archives of fetch requests` {
  private final class Book: NSObject {}

  private func request() -> NSFetchRequest<Book> {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "title BEGINSWITH %@ AND pages > 3", "A")
    request.havingPredicate = NSPredicate(format: "total > 9")
    request.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: false),
      NSSortDescriptor(
        key: "author.name", ascending: true, selector: Selector("caseInsensitiveCompare:")),
    ]
    (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (5, 2, 3)
    request.resultType = .dictionaryResultType
    request.includesSubentities = false
    request.includesPropertyValues = false
    request.includesPendingChanges = false
    request.returnsObjectsAsFaults = false
    request.returnsDistinctResults = true
    request.shouldRefreshRefetchedObjects = true
    request.relationshipKeyPathsForPrefetching = ["author", "author.books"]
    let total = NSExpressionDescription()
    total.name = "total"
    total.expression = NSExpression(format: "sum:(pages)")
    total.expressionResultType = .integer64AttributeType
    let title = libraryModel().entitiesByName["Book"]?.propertiesByName["title"]
    request.propertiesToFetch = ["pages", total] + (title.map { [$0] } ?? [])
    request.propertiesToGroupBy = ["pages"]
    return request
  }

  private func expectEqual(_ copy: FetchSpecification, _ original: FetchSpecification) throws {
    #expect(copy.predicate == original.predicate)
    #expect(copy.havingPredicate == original.havingPredicate)
    #expect(copy.sortDescriptors == original.sortDescriptors)
    #expect(copy.entity.name == original.entity.name)
    #expect(copy.propertiesToFetch?.count == original.propertiesToFetch?.count)
    // Limits, properties by name, groups and the type.
    #expect(copy.description == original.description)
    #expect(copy.includesSubentities == original.includesSubentities)
    #expect(copy.includesPropertyValues == original.includesPropertyValues)
    #expect(copy.includesPendingChanges == original.includesPendingChanges)
    #expect(copy.returnsObjectsAsFaults == original.returnsObjectsAsFaults)
    #expect(copy.returnsDistinctResults == original.returnsDistinctResults)
    #expect(copy.shouldRefreshRefetchedObjects == original.shouldRefreshRefetchedObjects)
    #expect(
      copy.relationshipKeyPathsForPrefetching == original.relationshipKeyPathsForPrefetching)
  }

  @Test(arguments: [true, false])
  func `A request of any type comes back with all its values`(isSecure: Bool) throws {
    for original in [request(), NSFetchRequest<Book>(), NSFetchRequest<Book>(entityName: "Book")] {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: original, requiringSecureCoding: isSecure)
      let copy = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: AnyRequest.self, from: data))
      #expect(type(of: copy) == AnyRequest.self)
      try expectEqual(copy.specification, original.specification)
      let again = try NSKeyedArchiver.archivedData(
        withRootObject: copy, requiringSecureCoding: isSecure)
      let second = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: AnyRequest.self, from: again))
      try expectEqual(second.specification, original.specification)
      let typed = try NSFetchRequest<Book>(keyedArchive: original.keyedArchive())
      try expectEqual(typed.specification, original.specification)
    }
  }

  private final class Search: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let requests: [AnyRequest]
    init(_ requests: [AnyRequest]) { self.requests = requests }
    init?(coder: NSCoder) {
      requests =
        coder.decodeObject(of: [NSArray.self, AnyRequest.self], forKey: "requests")
        as? [AnyRequest] ?? []
    }
    func encode(with coder: NSCoder) { coder.encode(requests as NSArray, forKey: "requests") }
  }

  @Test func `Other archives can contain requests`() throws {
    let requests = [AnyRequest(entityName: "A"), AnyRequest(entityName: "B")]
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    Search(requests).encode(with: archiver)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let search = Search(coder: unarchiver)
    #expect(search?.requests.map(\.entityName) == ["A", "B"])
  }

  @Test func `A request can be decoded as its superclass`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: request(), requiringSecureCoding: true)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    let copy = unarchiver.decodeObject(
      of: [NSPersistentStoreRequest.self], forKey: NSKeyedArchiveRootObjectKey)
    #expect((copy as? AnyRequest)?.entityName == "Book")
  }

  @Test func `A decoded predicate needs permission to be evaluated`() throws {
    let copy = try AnyRequest(keyedArchive: request().keyedArchive())
    #expect(throws: PredicateEvaluationError.self) {
      try copy.predicate?.evaluated(with: ["title": "A", "pages": 4] as [String: Any])
    }
    copy.predicate?.allowEvaluation()
    #expect(
      try copy.predicate?.evaluated(with: ["title": "A", "pages": 4] as [String: Any]) == true)
  }

  @Test func `Limits are clamped to their range when they are archived`() throws {
    let original = AnyRequest(entityName: "Book")
    (original.fetchLimit, original.fetchOffset, original.fetchBatchSize) = (Int.max, 1 << 40, -1)
    let copy = try AnyRequest(keyedArchive: original.keyedArchive())
    #expect(copy.fetchLimit == Int(Int32.max) && copy.fetchOffset == Int(Int32.max))
    #expect(copy.fetchBatchSize == 0)
  }

  @Test func `A value without an archived form is an error`() throws {
    let opaque = AnyRequest(entityName: "Book")
    opaque.predicate = NSPredicate { _, _ in true }
    #expect(throws: CocoaError.self) { try opaque.keyedArchive() }
    let compared = AnyRequest(entityName: "Book")
    compared.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: true) { _, _ in .orderedSame }
    ]
    #expect(throws: CocoaError.self) { try compared.keyedArchive() }
  }

  @Test func `Bytes that are not a request are an error`() throws {
    #expect(throws: CocoaError.self) { try AnyRequest(keyedArchive: Data([1, 2, 3])) }
    let predicate = try NSPredicate(value: true).keyedArchive()
    #expect(throws: CocoaError.self) { try AnyRequest(keyedArchive: predicate) }
  }
}
