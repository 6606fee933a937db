import Catalog
import CoreData
import Testing

@Suite struct CatalogTests {
  @Test func `Generated properties extend classes that are written by hand`() {
    let jane = Author(name: "Jane")
    let emma = Book(title: "Emma", pages: 474, by: jane)
    #expect(emma.author === jane)
    #expect(jane.titles == ["Emma"])
    #expect(emma.readingHours == 15.8)
  }

  @Test func `A generated class inherits from one that is written by hand`() {
    let novel = Novel(title: "Persuasion", pages: 249)
    novel.genre = "love"
    #expect(novel.entity.name == "Novel")
    #expect(novel.genre == "love")
    #expect(novel.pages == 249)
    #expect(Novel.fetchRequest().entityName == "Novel")
    #expect(Book.fetchRequest().entityName == "Book")
  }

  @Test func `Predicates and sort descriptors work on the objects`() throws {
    let books = [
      Book(title: "B", pages: 10), Book(title: "A", pages: 20), Book(title: "C", pages: 30),
    ]
    let found = (books as NSArray).filtered(using: NSPredicate(format: "pages BETWEEN {15, 30}"))
    let sorted = (found as NSArray).sortedArray(using: [
      NSSortDescriptor(keyPath: \Book.title, ascending: false)
    ])
    #expect(sorted.compactMap { ($0 as? Book)?.title } == ["C", "A"])
  }
}
