import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

@Suite struct ValueTests {
  let library = LibraryModel()

  @Test func `A new object has the defaults of its entity and its ancestors`() {
    let novel = NSManagedObject(entity: library.novel, insertInto: nil)
    #expect(novel.value(forKey: "pages") as? Int32 == 100)
    #expect(novel.value(forKey: "genre") as? String == "unknown")
    #expect(novel.value(forKey: "title") == nil)
    #expect(novel.entity === library.novel)
    #expect(novel.managedObjectContext == nil)
  }

  @Test func `Numbers can be read as any numeric type`() {
    let book = NSManagedObject(entity: library.book, insertInto: nil)
    book.setValue(Int16(7), forKey: "pages")
    #expect(book.value(forKey: "pages") as? Int == 7)
    #expect(book.value(forKey: "pages") as? Double == 7)
    #expect(book.value(forKey: "pages") as? NSNumber == 7)
  }

  @Test func `A decimal keeps its exact value`() {
    let book = NSManagedObject(entity: library.book, insertInto: nil)
    let price = Decimal(string: "12345678901234567890.12345")
    book.setValue(price, forKey: "price")
    #expect((book.value(forKey: "price") as? NSDecimalNumber)?.decimalValue == price)
  }

  @Test(arguments: [nil, NSNull()] as [NSNull?])
  func `A value can be set to nil`(nothing: NSNull?) {
    let book = NSManagedObject(entity: library.book, insertInto: nil)
    book.setValue(nothing, forKey: "pages")
    #expect(book.value(forKey: "pages") == nil)
    book.setValue(nothing, forKey: "author")
    #expect(book.value(forKey: "author") == nil)
  }

  @Test func `Foundation's reference types are accepted for Swift's values`() {
    let book = NSManagedObject(entity: library.book, insertInto: nil)
    book.setValue(NSString(string: "Emma"), forKey: "title")
    #expect(book.value(forKey: "title") as? String == "Emma")
    book.setValue(NSDate(timeIntervalSinceReferenceDate: 5), forKey: "added")
    #expect(book.value(forKey: "added") as? Date == Date(timeIntervalSinceReferenceDate: 5))
  }

  @Test func `The description shows the values and does not follow relationships`() {
    let author = NSManagedObject(entity: library.author, insertInto: nil)
    let book = NSManagedObject(entity: library.book, insertInto: nil)
    author.setValue("Jane", forKey: "name")
    author.setValue(NSSet(object: book), forKey: "books")
    #expect(author.description.contains("(entity: Author; data: {\n    books = 1 objects;"))
    #expect(author.description.contains("name = Jane;"))
  }

  @Test func `A key that the entity lacks stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSManagedObject(entity: LibraryModel().author, insertInto: nil).value(forKey: "titel")
    }
    let message = standardError(of: result)
    #expect(
      message.contains(
        "The entity Author has no property titel. Its properties are books, favourites, name."))
  }

  @Test func `A value of another type stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = LibraryModel()
      NSManagedObject(entity: library.author, insertInto: nil).setValue(5, forKey: "name")
    }
    let message = standardError(of: result)
    #expect(message.contains("Author.name takes a NSString and was set to a"))
  }

  @Test func `An object of another entity stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = LibraryModel()
      let author = NSManagedObject(entity: library.author, insertInto: nil)
      NSManagedObject(entity: library.book, insertInto: nil).setValue(author, forKey: "sequel")
    }
    let message = standardError(of: result)
    #expect(message.contains("Book.sequel relates to objects of Book and was given one of Author."))
  }
}
