import ManagedObjectModel
import ManagedObjects

/// A small handwritten model: books of authors, in series.
struct LibraryModel {
  let model = NSManagedObjectModel()
  let author = NSEntityDescription()
  let book = NSEntityDescription()
  let novel = NSEntityDescription()

  init() {
    author.name = "Author"
    book.name = "Book"
    novel.name = "Novel"
    let books = Self.relationship("books", to: book, maxCount: 0)
    let bookAuthor = Self.relationship("author", to: author, maxCount: 1)
    let favourites = Self.relationship("favourites", to: book, maxCount: 0)
    favourites.isOrdered = true
    let fans = Self.relationship("fans", to: author, maxCount: 0)
    let sequel = Self.relationship("sequel", to: book, maxCount: 1)
    let prequel = Self.relationship("prequel", to: book, maxCount: 1)
    for (one, other) in [(books, bookAuthor), (favourites, fans), (sequel, prequel)] {
      one.inverseRelationship = other
      other.inverseRelationship = one
    }
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "similar"
    author.properties = [Self.attribute("name", .stringAttributeType), books, favourites]
    book.properties = [
      Self.attribute("title", .stringAttributeType),
      Self.attribute("pages", .integer32AttributeType, default: 100),
      Self.attribute("price", .decimalAttributeType), Self.attribute("added", .dateAttributeType),
      Self.attribute("kind", .integer16AttributeType), bookAuthor, fans, sequel, prequel, fetched,
    ]
    book.subentities = [novel]
    novel.properties = [Self.attribute("genre", .stringAttributeType, default: "unknown")]
    model.entities = [author, book, novel]
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.defaultValue = value
    return attribute
  }

  private static func relationship(
    _ name: String, to destination: NSEntityDescription, maxCount: Int
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = maxCount
    return relationship
  }
}
