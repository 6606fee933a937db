import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import Testing

/// Accessors as the generator writes them.
private final class Book: NSManagedObject {
  enum Kind: Int16 { case paper, electronic }

  var title: String {
    get { _get("title") }
    set { _set("title", newValue) }
  }
  var pages: Int32 {
    get { _get("pages") }
    set { _set("pages", newValue) }
  }
  var optionalPages: Int32? {
    get { _get("pages") }
    set { _set("pages", newValue) }
  }
  var price: Decimal? {
    get { _get("price") }
    set { _set("price", newValue) }
  }
  var added: Date? {
    get { _get("added") }
    set { _set("added", newValue) }
  }
  var kind: Kind {
    get { _get("kind") }
    set { _set("kind", newValue) }
  }
  var author: Author? {
    get { _get("author") }
    set { _set("author", newValue) }
  }
  var similar: [Book]? { _get("similar") }
  var anything: Any? {
    get { _get("title") }
    set { _set("title", newValue) }
  }
}

private final class Author: NSManagedObject {
  var books: Set<Book> {
    get { _get("books") }
    set { _set("books", newValue) }
  }
  var favourites: NSOrderedSet? {
    get { _get("favourites") }
    set { _set("favourites", newValue) }
  }
  var favouriteList: [Book] { (favourites?.array as? [Book]) ?? [] }
}

@Suite struct GeneratedAccessorTests {
  let library = LibraryModel()

  private func book() -> Book { Book(entity: library.book, insertInto: nil) }
  private func author() -> Author { Author(entity: library.author, insertInto: nil) }

  @Test func `Each kind of value is read back`() {
    let book = book()
    book.title = "Emma"
    book.pages = 474
    book.price = Decimal(string: "9.99")
    book.added = Date(timeIntervalSinceReferenceDate: 1)
    book.kind = .electronic
    #expect(book.title == "Emma")
    #expect(book.pages == 474)
    #expect(book.optionalPages == 474)
    #expect(book.price == Decimal(string: "9.99"))
    #expect(book.added == Date(timeIntervalSinceReferenceDate: 1))
    #expect(book.kind == .electronic)
    #expect(book.value(forKey: "kind") as? Int == 1)
    #expect(book.anything as? String == "Emma")
  }

  @Test func `A missing value reads as nil, zero or empty`() {
    let book = book()
    book.optionalPages = nil
    #expect(book.title == "")
    #expect(book.pages == 0)
    #expect(book.optionalPages == nil)
    #expect(book.price == nil)
    #expect(book.author == nil)
    #expect(book.similar == nil)
    #expect(book.anything == nil)
    #expect(author().books == [])
  }

  @Test func `A value in an optional of any type is stored unwrapped`() {
    let book = book()
    book.anything = "Emma"
    #expect(book.value(forKey: "title") as? String == "Emma")
    book.anything = nil
    #expect(book.value(forKey: "title") == nil)
  }

  @Test func `Typed sets change both sides of a relationship`() {
    let (author, book) = (author(), book())
    author.books = [book]
    #expect(book.author === author)
    book.author = nil
    #expect(author.books.isEmpty)
  }

  @Test func `The methods of unordered relationships add and remove`() {
    let (author, one, other) = (author(), book(), book())
    author._add(one, to: "books")
    author._add(contentsOf: [one, other], to: "books")
    #expect(author.books == [one, other])
    author._remove(one, from: "books")
    author._remove(contentsOf: NSSet(object: other), from: "books")
    #expect(author.books.isEmpty)
  }

  @Test func `The methods of ordered relationships work by position`() {
    let author = author()
    let books = (0..<4).map { _ in book() }
    author._add(books[3], to: "favourites")
    author._insert(books[0], into: "favourites", at: 0)
    author._insert(
      contentsOf: [books[1], books[2]], into: "favourites",
      at: NSIndexSet(indexesIn: NSRange(1...2)))
    #expect(author.favouriteList == books)
    author._remove(at: 0, from: "favourites")
    #expect(author.favouriteList == [books[1], books[2], books[3]])
    author._replace(at: 1, with: books[0], in: "favourites")
    #expect(author.favouriteList == [books[1], books[0], books[3]])
    author._remove(at: NSIndexSet(indexesIn: NSRange(0...1)), from: "favourites")
    #expect(author.favouriteList == [books[3]])
  }

  @Test func `The classes are in the modules that generated symbols contain`() {
    #expect(String(reflecting: NSManagedObject.self) == "ManagedObjects.NSManagedObject")
    #expect(String(reflecting: NSManagedObjectID.self) == "ObjectRows.NSManagedObjectID")
  }

  @Test func `An index beyond the end stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = LibraryModel()
      let author = NSManagedObject(entity: library.author, insertInto: nil)
      author._insert(
        NSManagedObject(entity: library.book, insertInto: nil), into: "favourites", at: 1)
    }
    let message = standardError(of: result)
    #expect(message.contains("Author.favourites has no index 1."))
  }
}
