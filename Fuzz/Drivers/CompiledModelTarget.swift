import Foundation
import ManagedObjectModel

/// Compiled models and the model caches of stores: a model that can be read stays the same when it
/// is written and read again.
enum CompiledModelTarget: FuzzTarget {
  static let name = "compiled-model"

  static func seeds() throws -> [[UInt8]] {
    let model = sample()
    return try [
      CompiledModel.write(model), CompiledModel.write(NSManagedObjectModel()),
      ModelCache.encode(model),
    ].map(
      Array.init)
  }

  static func run(_ bytes: [UInt8]) {
    let data = Data(bytes)
    if let model = try? ModelCache.decode(data) { check(model) }
    if let model = try? CompiledModel.read(data) { check(model) }
  }

  private static func check(_ model: NSManagedObjectModel) {
    let hashes = model.entityVersionHashesByName
    require(hashes.count == model.entities.count, "a hash is missing")
    guard let written = try? CompiledModel.write(model) else { return }
    guard let again = try? CompiledModel.read(written) else {
      fail("what was written cannot be read")
    }
    require(again.entityVersionHashesByName == hashes, "the model changed when it was written")
  }

  /// Two entities that refer to each other.
  private static func sample() -> NSManagedObjectModel {
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    title.defaultValue = "none"
    let date = NSAttributeDescription()
    date.name = "date"
    date.attributeType = .dateAttributeType
    date.isOptional = true
    let book = NSEntityDescription()
    book.name = "Book"
    let author = NSEntityDescription()
    author.name = "Author"
    let books = NSRelationshipDescription()
    books.name = "books"
    books.destinationEntity = book
    books.maxCount = 0
    let authorOfBook = NSRelationshipDescription()
    authorOfBook.name = "author"
    authorOfBook.destinationEntity = author
    authorOfBook.maxCount = 1
    books.inverseRelationship = authorOfBook
    authorOfBook.inverseRelationship = books
    book.properties = [title, date, authorOfBook]
    author.properties = [books]
    let model = NSManagedObjectModel()
    model.entities = [author, book]
    return model
  }
}
