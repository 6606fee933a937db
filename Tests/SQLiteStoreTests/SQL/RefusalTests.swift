import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteStore
import Testing

/// A store refuses fetches that SQL cannot express, with the messages of Apple's exceptions.
///
/// It does not filter in memory.
@Suite struct `Fetches that SQL cannot express` {
  let store: LibraryStore

  init() throws {
    store = try LibraryStore()
  }

  private func error(_ fetch: RowFetch) throws -> StoreError {
    try #require(throws: StoreError.self) { try store.translator.keys(fetch) }
  }

  private func error(_ entity: String, _ predicate: NSPredicate) throws -> StoreError {
    try error(store.fetch(entity, predicate))
  }

  @Test(arguments: [
    ("Author", "nome == 1", "keypath nome not found in entity Author"),
    ("Item", "owner.nome == 1", "keypath owner.nome not found in entity Author"),
    ("Item", "shelf == 'x'", "keypath shelf not found in entity Item"),
    ("Item", "title.foo == 'x'", "keypath title.foo not found in entity Item"),
    ("Item", "genre == 'x'", "keypath genre is ambiguous in entity Item: Novel and Film have it"),
    ("Author", "works.title == 'x'", "to-many key not allowed here: works.title"),
    ("Author", "works == nil", "to-many key not allowed here: works"),
    ("Author", "works.code > rating", "to-many key not allowed here: works.code"),
    (
      "Author", "ANY works.tags.label == 'x'",
      "multiple to-many keys not allowed here: works.tags.label"
    ),
    (
      "Author", "works.tags.@count > 3", "multiple to-many keys not allowed here: works.tags.@count"
    ),
    (
      "Author", "works.@distinctUnionOfObjects.title == 'x'",
      "the collection operator @distinctUnionOfObjects"
    ),
    (
      "Author", "ANY works.title TOKENMATCHES 'x'", "unimplemented SQL generation for predicate : ("
    ),
    ("Author", "$x == 3", "the variable $x has no value"),
    ("Author", "stddev:(rating) > 3", "stddev:"),
    ("Author", "sum:(rating) > 3", "Unsupported function expression sum:"),
    ("Author", "FUNCTION(name, 'reversed') == 'x'", "Unsupported function expression"),
    ("Author", "works[0].title == 'x'", "Unsupported function expression"),
    (
      "Author", "CAST(rating, 'NSUUID') == 'x'",
      "Unsupported function expression castObject:toType:"
    ),
    ("Author", "name IN (works UNION books)", "Unsupported function expression"),
    ("Author", "uppercase:(rating) == 'x'", "Unsupported function expression uppercase:"),
    ("Author", "abs:(name) == 1", "Unsupported function expression abs:"),
    ("Author", "mentor > 3", "unimplemented SQL generation for predicate : (mentor > 3)"),
    ("Author", "mentor == 3", "a number where an object or object identifier is wanted"),
    (
      "Author", "rating MATCHES '3'",
      "Can't do a substring operation with something that isn't a string"
    ),
    ("Author", "name MATCHES '('", "can't do regex matching, reason:"),
    ("Author", "rating BETWEEN {1, 2, 3}", "BETWEEN without two bounds"),
    ("Author", "rating BETWEEN name", "BETWEEN without two bounds"),
    ("Author", "name == {1, 2}", "a collection where a value is wanted"),
    ("Item", "owner == tags", "to-many key not allowed here: tags"),
    ("Book", "owner == prequel", "objects of different entities"),
    ("Sample", "uuid == 'x'", "a text where a UUID is wanted"),
    ("Sample", "date == 'x'", "a text where a date is wanted"),
    ("Sample", "data == 'x'", "a text where data is wanted"),
    ("Sample", "shape == 'x'", "a text where the encoded data of a transformed value is wanted"),
    ("Sample", "shape > 'x'", "an order of values that have none"),
    ("Sample", "place == 3", "the composite attribute place"),
    ("Sample", "place.height == 3", "the composite attribute place.height"),
  ])
  func `The error gives the reason`(entity: String, format: String, message: String) throws {
    let error = try error(entity, NSPredicate(format: format))
    #expect(error.code == .unsupportedFetch)
    #expect(error.code.cocoaCode == 134060)
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.context["entity"] == entity)
    #expect(error.context["predicate"] == NSPredicate(format: format).formatText)
  }

  @Test func `A predicate with a closure or a custom class is refused`() throws {
    let block = try error("Author", NSPredicate { _, _ in true })
    #expect(block.message.hasPrefix("Unsupported predicate"))
    let expression = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
    let comparison = NSComparisonPredicate(
      leftExpression: expression, rightExpression: NSExpression(forKeyPath: "rating"),
      modifier: .direct,
      type: .equalTo)
    #expect(try error("Author", comparison).message.hasPrefix("Unsupported function expression"))
  }

  @Test func `Comparing bytes that may be in an external file is refused`() throws {
    let data = Data(repeating: 1, count: Limits.externalDataBytes)
    let error = try error("Sample", NSPredicate(format: "file == %@", argumentArray: [data]))
    #expect(error.message.contains("a value that may be kept in a file of its own"))
    #expect(throws: Never.self) {
      try store.translator.keys(
        store.fetch("Sample", NSPredicate(format: "data == %@", argumentArray: [data])))
    }
  }

  @Test func `Sorting by values without an order is refused`() throws {
    let cases: [(String, NSSortDescriptor, String)] = [
      (
        "Author", NSSortDescriptor(key: "works.title", ascending: true),
        "to-many key not allowed here: works.title"
      ),
      (
        "Author", NSSortDescriptor(key: "works.@count", ascending: true),
        "to-many key not allowed here: works.@count"
      ),
      (
        "Author", NSSortDescriptor(key: "nome", ascending: true),
        "keypath nome not found in entity Author"
      ),
      ("Sample", NSSortDescriptor(key: "shape", ascending: true), "unsupported sort by shape"),
      ("Sample", NSSortDescriptor(key: "file", ascending: true), "unsupported sort by file"),
      ("Item", NSSortDescriptor(key: "entity", ascending: true), "unsupported sort by entity"),
      (
        "Author", NSSortDescriptor(key: "name", ascending: true, selector: Selector("myCompare:")),
        "unsupported NSSortDescriptor"
      ),
      (
        "Author", NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame },
        "unsupported NSSortDescriptor"
      ),
    ]
    for (entity, descriptor, message) in cases {
      var fetch = try store.fetch(entity)
      fetch.specification.sortDescriptors = [descriptor]
      #expect(try error(fetch).message.contains(message))
    }
  }

  @Test func `An entity of another configuration is refused`() throws {
    let model = try model(
      "One\n  name String\nTwo\n  name String", configurations: ["first": ["One"]])
    let schema = try StoreSchema(layouts: .of(model), configuration: "first")
    let layout = try #require(schema.layouts[named: "Two"])
    let error = #expect(throws: StoreError.self) {
      try FetchTranslator(schema: schema).keys(
        RowFetch(layout: layout, specification: FetchSpecification()))
    }
    #expect(error?.message.contains("entity Two is not in the store") == true)
  }
}
