public import CoreData

/// A book: the model generates its properties, and the class is written by hand.
public class Book: NSManagedObject {
  /// Creates a book.
  public convenience init(title: String, pages: Int32, by author: Author? = nil) {
    self.init(entity: Self.entity(), insertInto: nil)
    self.title = title
    self.pages = pages
    self.author = author
  }

  /// The number of hours it takes to read, at two minutes per page.
  public var readingHours: Double { Double(pages) / 30 }
}
