import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import Testing

private class Book: NSManagedObject {
  var title: String? {
    get { _get("title") }
    set { _set("title", newValue) }
  }
  var pages: Int32 {
    get { _get("pages") }
    set { _set("pages", newValue) }
  }
  var added: Date { _get("added") }
  var author: Author? {
    get { _get("author") }
    set { _set("author", newValue) }
  }
  var sequel: Book? { _get("sequel") }
  var summary: String { "\(title ?? "") \(pages)" }
}

private final class Novel: Book {
  // A class that hides the designated initializer.
  private override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    super.init(entity: entity, insertInto: context)
  }
}

private final class Author: NSManagedObject {
  var name: String? { _get("name") }
  var books: Set<Book> { _get("books") }
}

@Suite struct PredicateTests {
  let library = LibraryModel()

  private func book(_ title: String, pages: Int32, by author: String? = nil) -> Book {
    let book = Book(entity: library.book, insertInto: nil)
    book.title = title
    book.pages = pages
    if let author {
      book.author = Author(entity: library.author, insertInto: nil)
      book.author?.setValue(author, forKey: "name")
    }
    return book
  }

  @Test(arguments: [
    ("pages > 300", ["Emma", "Ulysses"]), ("author.name BEGINSWITH[c] 'jane'", ["Emma"]),
    ("author == nil", ["Dubliners"]),
    ("author.books.@count == 1 AND title CONTAINS 's'", ["Ulysses"]),
    ("entity.name == 'Book' AND pages < 300", ["Dubliners"]),
    ("ANY author.books.title LIKE 'E*'", ["Emma"]),
    ("self.title IN {'Emma', 'Dubliners'}", ["Dubliners", "Emma"]),
  ])
  func `Objects are filtered by predicates`(format: String, titles: [String]) {
    let books = [
      book("Ulysses", pages: 730, by: "James"), book("Emma", pages: 474, by: "Jane"),
      book("Dubliners", pages: 152),
    ]
    let found = books.filter { NSPredicate(format: format).evaluate(with: $0) }
    #expect(found.compactMap(\.title).sorted() == titles, "\(format)")
  }

  @Test func `An object has values for the properties of its entity only`() {
    #expect(!book("Emma", pages: 1).hasValue(forKey: "pagse"))
    #expect(book("Emma", pages: 1).hasValue(forKey: "author"))
  }

  @Test func `Key paths follow relationships`() {
    let emma = book("Emma", pages: 474, by: "Jane")
    #expect(emma.value(forKeyPath: "author.name") as? String == "Jane")
    #expect(emma.value(forKeyPath: "author.books.@count") as? Int == 1)
    emma.setValue("Jane Austen", forKeyPath: "author.name")
    #expect(emma.author?.name == "Jane Austen")
    emma.author = nil
    #expect(emma.value(forKeyPath: "author.name") == nil)
    emma.setValue("Nobody", forKeyPath: "author.name")
  }

  @Test func `Swift key paths name properties by probing`() throws {
    #expect(try (\Book.title).propertyPath() == "title")
    #expect(try (\Book.pages).propertyPath() == "pages")
    #expect(try (\Book.added).propertyPath() == "added")
    #expect(try (\Book.author?.name).propertyPath() == "author.name")
    #expect(
      try (\Book.sequel?.sequel?.author?.books).propertyPath() == "sequel.sequel.author.books")
    #expect(try (\Author.books.count).propertyPath() == "books.@count")
    #expect(try (\Novel.title).propertyPath() == "title")
  }

  @Test func `A key path that reads several properties has no name`() {
    #expect(throws: KeyPathNameError.self) { try (\Book.summary).propertyPath() }
  }
}
