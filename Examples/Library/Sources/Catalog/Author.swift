public import CoreData

/// An author of books.
public final class Author: NSManagedObject {
  /// Creates an author.
  public convenience init(name: String) {
    self.init(entity: Author.entity(), insertInto: nil)
    self.name = name
  }

  /// The titles of the author's books, in order.
  public var titles: [String] {
    (books as? Set<Book> ?? []).compactMap(\.title).sorted()
  }
}
