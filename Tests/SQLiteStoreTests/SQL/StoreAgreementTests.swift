import Foundation
import PredicateLanguage
import SQLiteStore
import TestSupport
import Testing

/// SQL finds the same objects as evaluation in memory, except for missing values (`SQLTruthValue`).
@Suite struct `Predicates in fetches and in memory` {
  @Test(arguments: ["Author", "Item", "Book", "Film", "Tag", "Sample"])
  func `Both agree on random predicates`(entity: String) throws {
    var generator = SeededGenerator.forTest()
    for _ in 0..<3 {
      let seeded = SeededGenerator(seed: generator.next())
      let store = try LibraryStore()
      var library = RandomLibrary(generator: seeded, store: store)
      try library.fill()
      var predicates = RandomPredicate(library)
      let description = try #require(store.schema.entity(named: entity)).entity
      for _ in 0..<150 {
        let predicate = predicates.predicate(of: description)
        try expectAgreement(store, entity, predicate, "\(generator)")
      }
    }
  }

  @Test(arguments: [
    "SUBQUERY(owner.mentor.pupils, $p, $p.rating > 0).@count == 0",
    "SUBQUERY(owner.mentor.pupils, $p, $p.rating > 0).@count < 2",
    "'a' !=[c] owner.name", "title !=[cd] owner.mentor.name",
  ])
  func `A missing owner is found if the predicate holds for it`(format: String) throws {
    let store = try LibraryStore()
    let first = try store.add("Author", ["name": "A", "rating": 1.0])
    let second = try store.add("Author", ["name": "b", "rating": 2.0])
    try store.relate(second, "mentor", first)
    for owner in [nil, first, second] {
      let item = try store.add("Item", ["title": "a"])
      if let owner { try store.relate(item, "owner", owner) }
    }
    try store.write()
    let predicate = NSPredicate(format: format)
    let expected = try store.objects(of: "Item").filter { try predicate.evaluated(with: $0) }
    #expect(expected.first?.key == 1)
    #expect(try store.keys("Item", format) == expected.map(\.key))
  }

  private func expectAgreement(
    _ store: LibraryStore, _ entity: String, _ predicate: NSPredicate, _ seed: String
  ) throws {
    let comment = Comment(rawValue: "\(seed) \(entity): \(predicate.formatText)")
    do {
      let expected = try store.objects(of: entity).filter {
        try SQLTruthValue(object: $0).truth(of: predicate) == true
      }
      let fetch = try store.fetch(entity, predicate)
      let found = try store.keys(fetch)
      #expect(found == expected.map(\.key).sorted(), comment)
      if found != expected.map(\.key).sorted() { print(try store.translator.keys(fetch)) }
    } catch {
      Issue.record("\(comment): \(error)")
    }
  }
}
