import Foundation
import ManagedObjectModel
import PredicateLanguage
import Testing

@Suite struct FetchRequestTests {
  @Test func `A new request has Apple's defaults`() {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    #expect(request.entity == nil && request.entityName == nil && request.predicate == nil)
    #expect(
      request.sortDescriptors == nil && request.propertiesToFetch == nil
        && request.havingPredicate == nil)
    #expect((request.fetchLimit, request.fetchOffset, request.fetchBatchSize) == (0, 0, 0))
    #expect(
      request.resultType == .managedObjectResultType && request.requestType == .fetchRequestType)
    #expect(
      request.includesSubentities && request.includesPropertyValues
        && request.includesPendingChanges)
    #expect(
      request.returnsObjectsAsFaults && !request.returnsDistinctResults
        && !request.shouldRefreshRefetchedObjects)
  }

  @Test func `Result types have Apple's numbers`() {
    let types: [NSFetchRequestResultType] = [
      .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType, .countResultType,
    ]
    #expect(types.map(\.rawValue) == [0, 1, 2, 4])
  }

  @Test func `A request by name has a name, and reading its entity stops the program`() async {
    #expect(NSFetchRequest<NSDictionary>(entityName: "Book").entityName == "Book")
    await #expect(processExitsWith: .failure) {
      _ = NSFetchRequest<NSDictionary>(entityName: "Book").entity
    }
  }

  @Test func `A request by entity has both`() {
    let library = libraryModel()
    let request = NSFetchRequest<NSNumber>()
    request.entity = library.entitiesByName["Book"]
    #expect(request.entityName == "Book")
  }

  @Test
  func
    `A request from a template has values for the variables, and the template keeps the variables`()
    throws
  {
    let library = libraryModel()
    let template = try #require(library.fetchRequestTemplate(forName: "everyone"))
    template.predicate = NSPredicate(format: "name == $NAME")
    library.freeze()
    let request = try #require(
      library.fetchRequestFromTemplate(withName: "everyone", substitutionVariables: ["NAME": "Ada"])
    )
    #expect(request.predicate == NSPredicate(format: "name == 'Ada'"))
    #expect(template.predicate == NSPredicate(format: "name == $NAME"))
    #expect(request.entity === library.entitiesByName["Author"])
    request.fetchLimit = 1
    #expect(library.fetchRequestFromTemplate(withName: "nobody", substitutionVariables: [:]) == nil)
  }

  @Test func `A variable without a value stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let library = libraryModel()
      library.fetchRequestTemplate(forName: "everyone")?.predicate = NSPredicate(
        format: "name == $NAME")
      _ = library.fetchRequestFromTemplate(withName: "everyone", substitutionVariables: [:])
    }
  }

  @Test func `A request has a description`() {
    let request = NSFetchRequest<NSDictionary>(entityName: "Author")
    #expect(
      request.description
        == "NSFetchRequest (entity: Author; predicate: (none); sortDescriptors: (none); type: NSManagedObjectResultType)"
    )
    request.predicate = NSPredicate(format: "name == 'Ada'")
    request.fetchLimit = 3
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name", attribute("id", .UUIDAttributeType)]
    #expect(
      request.description
        == "NSFetchRequest (entity: Author; predicate: (name == \"Ada\"); sortDescriptors: (none); limit: 3; type: NSDictionaryResultType; properties: name, id)"
    )
  }

  @Test func `Templates are found by name, replaced and removed`() {
    let library = NSManagedObjectModel()
    let first = NSFetchRequest<any NSFetchRequestResult>(entityName: "A")
    library.setFetchRequestTemplate(first, forName: "one")
    #expect(library.fetchRequestTemplate(forName: "one") === first)
    library.setFetchRequestTemplate(NSFetchRequest(entityName: "B"), forName: "one")
    #expect(library.fetchRequestTemplatesByName.mapValues(\.entityName) == ["one": "B"])
    library.setFetchRequestTemplate(nil, forName: "one")
    #expect(library.fetchRequestTemplatesByName.isEmpty)
  }
}
