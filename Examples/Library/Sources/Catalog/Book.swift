public import CoreData

/// A book, whose class is written by hand and whose properties are generated from the model.
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
