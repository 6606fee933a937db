import Foundation
import ManagedObjectModel
import Testing

@Suite struct EntityDescriptionTests {
  @Test func `A new entity has Apple's defaults`() {
    let entity = NSEntityDescription()
    #expect(entity.name == nil)
    #expect(entity.managedObjectClassName == "NSManagedObject")
    #expect(!entity.isAbstract)
    #expect(entity.superentity == nil && entity.subentities.isEmpty && entity.properties.isEmpty)
    #expect(
      entity.renamingIdentifier == nil && entity.versionHashModifier == nil
        && entity.userInfo == nil)
  }

  @Test(arguments: [false, true])
  func `A subentity has the properties of its ancestors before its own`(frozen: Bool) throws {
    let leaf = entity("Leaf", [attribute("c", .stringAttributeType)])
    let branch = entity("Branch", [attribute("b", .stringAttributeType)], subentities: [leaf])
    let root = entity("Root", [attribute("a", .stringAttributeType)], subentities: [branch])
    let tree = model(root, branch, leaf)
    if frozen { tree.freeze() }
    #expect(leaf.properties.map(\.name) == ["a", "b", "c"])
    #expect(leaf.attributesByName.keys.sorted() == ["a", "b", "c"])
    #expect(leaf.propertiesByName["a"] === root.propertiesByName["a"])
    #expect(leaf.propertiesByName["a"]?.entity === root)
  }

  @Test func `Adding to the properties of a subentity adds to its own only`() {
    let library = libraryModel()
    let book = library.entitiesByName["Book"]
    book?.properties.append(attribute("isbn", .stringAttributeType))
    #expect(book?.ownProperties.map(\.name) == ["pages", "author", "isbn"])
    #expect(library.entitiesByName["Item"]?.properties.map(\.name) == ["title"])
  }

  @Test func `A removed property has no entity`() {
    let title = attribute("title", .stringAttributeType)
    let book = entity("Book", [title])
    #expect(title.entity === book)
    book.properties = []
    #expect(title.declaringEntity == nil)
  }

  @Test func `An entity is a kind of itself and of its superentities`() {
    let library = libraryModel()
    let (item, book) = (library.entitiesByName["Item"]!, library.entitiesByName["Book"]!)
    #expect(book.isKindOf(entity: item))
    #expect(book.isKindOf(entity: book))
    #expect(!item.isKindOf(entity: book))
    #expect(item.subentitiesByName["Book"] === book)
  }

  @Test func `The lineage ends at a cycle of superentities`() {
    let (one, two) = (entity("One"), entity("Two"))
    one.subentities = [two]
    two.subentities = [one]
    #expect(one.lineage.map(\.name) == ["One", "Two"])
    #expect(one.versionHash.count == 32)
  }

  @Test func `The relationships to a destination include inherited ones`() {
    let library = libraryModel()
    let (book, author) = (library.entitiesByName["Book"]!, library.entitiesByName["Author"]!)
    #expect(book.relationships(forDestination: author).map(\.name) == ["author"])
    #expect(author.relationships(forDestination: author).isEmpty)
  }

  @Test func `The renaming identifier is the name unless it is set`() {
    let book = entity("Book", [attribute("title", .stringAttributeType)])
    #expect(book.renamingIdentifier == "Book")
    #expect(book.attributesByName["title"]?.renamingIdentifier == "title")
    book.renamingIdentifier = "Volume"
    #expect(book.renamingIdentifier == "Volume")
    #expect(book.storedRenamingIdentifier == "Volume")
  }

  @Test func `Replacing a model's entities releases the old ones and their configurations`() {
    let library = libraryModel()
    let author = library.entitiesByName["Author"]!
    library.entities.removeAll { $0 === author }
    #expect(author.model == nil)
    #expect(library.entities(forConfigurationName: "People") == [])
    #expect(library.configurations == ["People"])
  }

  @Test func `Configurations have the order in which they were first set`() {
    let library = libraryModel()
    for name in ["B", "A", "B"] { library.setEntities([], forConfigurationName: name) }
    #expect(library.configurations == ["People", "B", "A"])
  }

  @Test func `A model, an entity and a property have descriptions`() {
    let library = Library()
    #expect(
      library.book.description
        == "entity Book, superentity Item, class Book, properties (title, pages, author)")
    #expect(library.writer.description == "Book.author: to-one relationship to Author, optional")
    #expect(
      library.model.description.hasPrefix(
        "managed object model of 3 entities\n  entity Item, class Item"))
  }

  @Test func `An entity of another model in a configuration stops the program`() async {
    await #expect(processExitsWith: .failure) {
      libraryModel().setEntities([NSEntityDescription()], forConfigurationName: "Strange")
    }
  }
}
