import Foundation
import ManagedObjectModel
import Testing

@Suite struct OwnershipTests {
  @Test(arguments: [false, true])
  func `A released model is freed with its entities, properties and templates`(frozen: Bool)
    throws
  {
    weak var model: NSManagedObjectModel?
    weak var book: NSEntityDescription?
    weak var author: NSRelationshipDescription?
    weak var template: NSFetchRequest<any NSFetchRequestResult>?
    weak var fetched: NSFetchedPropertyDescription?
    do {
      let library = modelWithFetchedPropertyOverItself()
      if frozen { library.freeze() }
      model = library
      book = library.entitiesByName["Book"]
      author = book?.relationshipsByName["author"]
      template = library.fetchRequestTemplate(forName: "everyone")
      fetched = book?.propertiesByName["similar"] as? NSFetchedPropertyDescription
      #expect(model != nil && book != nil && author != nil && template != nil && fetched != nil)
    }
    #expect(model == nil)
    #expect(book == nil)
    #expect(author == nil)
    #expect(template == nil)
    #expect(fetched == nil)
  }

  @Test func `An entity in use that outlives its model keeps what it inherits`() throws {
    var library: NSManagedObjectModel? = libraryModel()
    library?.freeze()
    let book = try #require(library?.entitiesByName["Book"])
    let hash = book.versionHash
    library = nil
    #expect(book.model == nil)
    #expect(Set(book.propertiesByName.keys) == ["title", "pages", "author"])
    #expect(book.versionHash == hash)
    #expect(book.relationshipsByName["author"]?.destinationEntity == nil)
  }

  @Test func `A model does not keep a template's entity from another model alive`() {
    let library = libraryModel()
    weak var foreign: NSEntityDescription?
    do {
      let entity = NSEntityDescription()
      foreign = entity
      let template = NSFetchRequest<any NSFetchRequestResult>()
      template.entity = entity
      library.setFetchRequestTemplate(template, forName: "foreign")
    }
    #expect(foreign == nil)
  }

  @Test func `A fetch request keeps its entity alive`() {
    let request = NSFetchRequest<NSDictionary>()
    request.entity = entity("Alone")
    #expect(request.entity?.name == "Alone")
  }

  @Test func `Reading the model of an entity that has none stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = NSEntityDescription().managedObjectModel }
  }

  @Test func `Reading the entity of a property that has none stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = NSAttributeDescription().entity }
  }

  private func modelWithFetchedPropertyOverItself() -> NSManagedObjectModel {
    let library = libraryModel()
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "similar"
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = library.entitiesByName["Book"]
    fetched.fetchRequest = request
    library.entitiesByName["Book"]?.properties.append(fetched)
    return library
  }
}
