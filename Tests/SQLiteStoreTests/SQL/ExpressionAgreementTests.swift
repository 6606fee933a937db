import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteStore
import TestSupport
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression

/// A store computes the same values as the expression in memory.
@Suite struct `Expressions in fetches and in memory` {
  private static let ofSamples = [
    "small + medium", "small - single", "large * 2.5", "medium / 3", "double / 4", "decimal / 8",
    "small / 0",
    "-medium",
    "2 ** 3 ** small", "small ** 2", "single ** 2", "modulus:by:(medium, 3)",
    "modulus:by:(double, 2)",
    "modulus:by:(small, 0)", "abs:(small)", "abs:(single)", "sqrt:(abs:(medium))", "exp:(double)",
    "ln:(medium + 5)",
    "log:(medium + 5)", "floor:(double)", "ceiling:(double)", "trunc:(double)", "floor:(medium)",
    "bitwiseAnd:with:(large, 6)", "bitwiseOr:with:(large, 6)", "bitwiseXor:with:(large, 6)",
    "leftshift:by:(large, 2)",
    "rightshift:by:(large, 1)", "onesComplement:(large)", "uppercase:(text)", "lowercase:(text)",
    "canonical:(text)",
    "length:(text)", "text.length", "TERNARY(flag == YES, small, medium)",
    "TERNARY(text == nil, 'none', text)",
    "TERNARY(text CONTAINS 'a', 1, 0)", "CAST(small, 'NSString')",
    "CAST(CAST(small, 'NSString'), 'NSNumber') + 1",
    "CAST(date, 'NSNumber')", "CAST(double, 'NSDate')", "CAST(url, 'NSString')", "noindex:(text)",
    "medium.stringValue",
    "large * 4611686018427387904", "place.latitude * 2", "data.length", "date + 3600", "date - 60",
    "60 + date",
    "date - CAST(0, 'NSDate')", "date - date",
  ]
  private static let ofAuthors = [
    "works.@count", "works.@sum.code", "books.@avg.pages", "pupils.@max.rating",
    "pupils.rating.@min", "count:(books)",
    "sum:(books.pages)", "books[SIZE]", "mentor.mentor.name", "mentor.pupils.@count",
    "average:(works.code)", "average:(SUBQUERY(works, $w, $w.code > 99).code)",
    "SUBQUERY(works, $w, $w.code > 0).@count", "SUBQUERY(books, $b, $b.pages != nil).@sum.pages",
  ]

  @Test func `Both give the same values`() throws {
    let seed = SeededGenerator.forTest()
    let store = try LibraryStore()
    var library = RandomLibrary(generator: seed, store: store)
    try library.fill(authors: 15, items: 30, tags: 3, samples: 25)
    // The one difference is the count of a missing relationship: a store counts the pupils of no
    // mentor as 0.
    for author in store.objects(of: "Author") where author.values["mentor"] == nil {
      author.values["mentor"] = MissingMentor()
    }
    for (entity, formats) in [("Sample", Self.ofSamples), ("Author", Self.ofAuthors)] {
      for format in formats { try expectAgreement(store, entity, format, seed) }
    }
  }

  @Test func `A sum beyond 64 bits is a floating-point number in both`() throws {
    let store = try LibraryStore()
    let author = try store.add("Author", ["name": "A"])
    for code in [Int.max, Int.max, -1] {
      try store.relate(try store.add("Item", ["code": code]), "owner", author)
    }
    try store.write()
    let seed = SeededGenerator.forTest()
    for format in ["works.@sum.code", "sum:(works.code)", "works.code.@sum + 1"] {
      try expectAgreement(store, "Author", format, seed)
    }
  }

  private func expectAgreement(
    _ store: LibraryStore, _ entity: String, _ format: String, _ seed: SeededGenerator
  )
    throws
  {
    let expression = NSExpression(format: format)
    let column = NSExpressionDescription()
    column.name = "value"
    column.expression = expression
    var fetch = try store.fetch(entity)
    fetch.specification.propertiesToFetch = [column, "objectID"]
    fetch.specification.resultType = .dictionaryResultType
    let found = try store.dictionaries(fetch)
    let objects = store.objects(of: entity)
    #expect(found.count == objects.count)
    for dictionary in found {
      let identifier = dictionary["objectID"] as? NSManagedObjectID
      let object = try #require(objects.first { $0.key == identifier?.key })
      let expected = try expression.evaluated(with: object)
      let agrees = PredicateLanguage.Value(dictionary["value"]).isClose(
        to: PredicateLanguage.Value(expected))
      #expect(
        agrees,
        "\(seed) \(format): \(String(describing: dictionary["value"])), not \(String(describing: expected))"
      )
    }
  }
}

/// The mentor of objects without one.
private final class MissingMentor: KeyValueCoding {
  func value(forKey key: String) -> Any? { key == "pupils" ? [Any]() : nil }
}

extension PredicateLanguage.Value {
  /// Whether two values are equal, or numbers that differ only by rounding.
  fileprivate func isClose(to other: PredicateLanguage.Value) -> Bool {
    if case .number(let one) = self, case .number(let other) = other {
      let (one, other) = (one.double, other.double)
      return one == other || abs(one - other) <= 1e-12 * Swift.max(abs(one), abs(other))
    }
    if case .number(let number) = other, number.double.isNaN, case .null = self { return true }
    return isEqual(to: other)
  }
}
