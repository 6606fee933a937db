import Foundation
import ManagedObjectModel
import TestSupport

/// Fills a library with random objects of few different values, so that comparisons often hold.
struct RandomLibrary {
  var generator: SeededGenerator
  let store: LibraryStore

  static let texts = [
    "", "a", "A", "ab", "AB", "abc", "b", "Äb", "äb", "ÄB", "ab%", "a_b", "e\u{301}", "é", "E", "ß",
    "SS", "😀", "日本",
    "a\nb", "x*", "x?", "\\", "'", "\u{10FFFF}", "Zz",
  ]

  mutating func fill(authors: Int = 25, items: Int = 50, tags: Int = 8, samples: Int = 40) throws {
    for _ in 0..<tags { _ = try add("Tag") }
    for _ in 0..<authors { _ = try add("Author") }
    for _ in 0..<items { _ = try add(pick(["Item", "Book", "Novel", "Film"])) }
    for _ in 0..<samples { _ = try add("Sample") }
    try relate()
    try store.write()
  }

  private mutating func add(_ name: String) throws -> LibraryObject {
    let object = try store.add(name)
    for property in object.entity.properties where !property.isTransient && !chance(5) {
      guard let attribute = property as? NSAttributeDescription else { continue }
      object.values[attribute.name] = value(of: attribute)
    }
    return object
  }

  private mutating func relate() throws {
    let authors = store.objects(of: "Author")
    let (books, tags) = (store.objects(of: "Book"), store.objects(of: "Tag"))
    for author in authors {
      if !chance(3) { try store.relate(author, "mentor", pick(authors)) }
      for _ in 0..<number(4) { try store.relate(author, "friends", pick(authors)) }
      for _ in 0..<number(4) where !books.isEmpty { try store.relate(author, "books", pick(books)) }
    }
    for item in store.objects(of: "Item") {
      if !chance(4) { try store.relate(item, "owner", pick(authors)) }
      for _ in 0..<number(3) { try store.relate(item, "tags", pick(tags)) }
    }
    for (book, next) in zip(books, books.dropFirst()) where !chance(2) {
      try store.relate(next, "prequel", book)
    }
  }

  // MARK: Values

  mutating func value(of attribute: NSAttributeDescription) -> Any? {
    if let composite = attribute as? NSCompositeAttributeDescription {
      return Dictionary(
        uniqueKeysWithValues: composite.elements.compactMap { element in
          chance(4) ? nil : value(of: element).map { (element.name, $0) }
        })
    }
    switch attribute.attributeType {
    case .booleanAttributeType: return chance(2)
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return number(9) - 4
    case .doubleAttributeType, .floatAttributeType: return Double(number(9) - 4) / 2
    case .decimalAttributeType: return Decimal(number(9) - 4) / 4
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number(5)) * 1.5)
    case .stringAttributeType: return pick(Self.texts)
    case .URIAttributeType: return URL(string: "http://example.com/\(number(3))")
    case .UUIDAttributeType:
      return UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number(4))")
    case .binaryDataAttributeType, .transformableAttributeType:
      return Data(repeating: 7, count: number(3))
    default: return nil
    }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(elements.count)] }

  mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  /// True once in `times` calls on average.
  mutating func chance(_ times: Int) -> Bool { number(times) == 0 }
}
