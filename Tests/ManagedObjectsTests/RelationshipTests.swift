import Foundation
import ManagedObjectModel
import ManagedObjects
import Testing

@Suite struct RelationshipTests {
  let library = LibraryModel()

  private func author(_ name: String = "") -> NSManagedObject {
    let author = NSManagedObject(entity: library.author, insertInto: nil)
    author.setValue(name, forKey: "name")
    return author
  }

  private func book(_ entity: NSEntityDescription? = nil) -> NSManagedObject {
    NSManagedObject(entity: entity ?? library.book, insertInto: nil)
  }

  private func books(of author: NSManagedObject) -> Set<NSManagedObject>? {
    author.value(forKey: "books") as? Set<NSManagedObject>
  }

  @Test func `A to-many relationship without objects is an empty set`() {
    #expect(author().value(forKey: "books") as? NSSet == NSSet())
    #expect(author().value(forKey: "favourites") as? NSOrderedSet == NSOrderedSet())
  }

  @Test func `Setting a to-one relationship adds to the inverse to-many one`() {
    let (jane, emma) = (author(), book())
    emma.setValue(jane, forKey: "author")
    #expect(books(of: jane) == [emma])
  }

  @Test func `Setting a to-many relationship sets and clears its to-one inverses`() {
    let (jane, emma, persuasion) = (author(), book(), book(library.novel))
    jane.setValue(NSSet(array: [emma, persuasion]), forKey: "books")
    #expect(emma.value(forKey: "author") as? NSManagedObject === jane)
    jane.setValue(NSSet(object: persuasion), forKey: "books")
    #expect(emma.value(forKey: "author") == nil)
    #expect(persuasion.value(forKey: "author") as? NSManagedObject === jane)
  }

  @Test func `An object that moves leaves its former owner`() {
    let (jane, anne, emma) = (author("Jane"), author("Anne"), book())
    emma.setValue(jane, forKey: "author")
    anne.setValue(NSSet(object: emma), forKey: "books")
    #expect(books(of: jane) == [])
    #expect(emma.value(forKey: "author") as? NSManagedObject === anne)
  }

  @Test func `One-to-one relationships stay pairs`() {
    let (first, second, third) = (book(), book(), book())
    first.setValue(second, forKey: "sequel")
    first.setValue(third, forKey: "sequel")
    #expect(second.value(forKey: "prequel") == nil)
    second.setValue(third, forKey: "sequel")
    #expect(first.value(forKey: "sequel") == nil)
    #expect(third.value(forKey: "prequel") as? NSManagedObject === second)
  }

  @Test func `Many-to-many relationships are kept on both sides, in order`() {
    let (jane, emma, persuasion) = (author(), book(), book())
    jane.setValue(NSOrderedSet(array: [persuasion, emma]), forKey: "favourites")
    #expect(
      (jane.value(forKey: "favourites") as? NSOrderedSet)?.array as? [NSManagedObject] == [
        persuasion, emma,
      ])
    #expect(emma.value(forKey: "fans") as? Set<NSManagedObject> == [jane])
    emma.setValue(NSSet(), forKey: "fans")
    #expect(
      (jane.value(forKey: "favourites") as? NSOrderedSet)?.array as? [NSManagedObject] == [
        persuasion
      ])
  }

  @Test func `Primitive values leave the inverse alone`() {
    let (jane, emma) = (author(), book())
    emma.setPrimitiveValue(jane, forKey: "author")
    #expect(emma.primitiveValue(forKey: "author") as? NSManagedObject === jane)
    #expect(books(of: jane) == [])
  }
}
