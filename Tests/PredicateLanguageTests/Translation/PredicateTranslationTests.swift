import Foundation
import PredicateLanguage
import TestSupport
import Testing

private struct Filter: Codable, Sendable {
  var text = ""
  var names = ["a", "b"]
}

// The values that the predicates capture.
private let filter = Filter()
private let name: String? = "bob"
private let same = ComparisonResult.orderedSame
private let ascending = ComparisonResult.orderedAscending

@Suite struct PredicateTranslationTests {
  static let comparisons: [(Predicate<Post>, String)] = [
    (#Predicate { $0.title == "a" }, #"title == "a""#),
    (#Predicate { $0.title != "a" }, #"title != "a""#),
    (#Predicate { $0.score < 3 }, "score < 3"),
    (#Predicate { $0.score >= 3 }, "score >= 3"),
    (#Predicate { $0.rating > 2.5 }, "rating > 2.5"),
    (#Predicate { 3 <= $0.score }, "3 <= score"),
    (#Predicate { $0.isDone }, "isDone == 1"),
    (#Predicate { !$0.isDone }, "NOT isDone == 1"),
    (#Predicate { $0.isDone == false }, "isDone == 0"),
    (#Predicate { $0.summary == nil }, "summary == nil"),
    (#Predicate { $0.summary != nil }, "summary != nil"),
    (#Predicate { $0.score > 1 && $0.isDone }, "score > 1 AND isDone == 1"),
    (
      #Predicate { $0.score > 1 && $0.score < 5 && $0.isDone },
      "score > 1 AND score < 5 AND isDone == 1"
    ),
    (#Predicate { $0.score > 1 || $0.isDone }, "score > 1 OR isDone == 1"),
    (#Predicate { !($0.score > 1 || $0.isDone) }, "NOT (score > 1 OR isDone == 1)"),
    (#Predicate { ($0.score > 1) == true }, "score > 1"),
    (#Predicate { ($0.score > 1) != true }, "NOT score > 1"),
    (#Predicate { _ in true }, "TRUEPREDICATE"),
  ]

  static let optionals: [(Predicate<Post>, String)] = [
    (#Predicate { $0.author?.name == "bob" }, #"author.name == "bob""#),
    (#Predicate { $0.author?.mentor?.name == nil }, "author.mentor.name == nil"),
    (
      #Predicate { ($0.author?.name ?? "none") == "none" },
      #"TERNARY(author.name != nil, author.name, "none") == "none""#
    ),
    (#Predicate { ($0.bonus ?? 0) > 3 }, "TERNARY(bonus != nil, bonus, 0) > 3"),
    (#Predicate { $0.summary?.contains("x") == true }, #"summary != nil AND summary CONTAINS "x""#),
    (
      #Predicate { $0.summary?.contains("x") ?? false }, #"summary != nil AND summary CONTAINS "x""#
    ),
    (
      #Predicate { $0.summary?.contains("x") ?? true },
      #"(summary != nil AND summary CONTAINS "x") OR NOT summary != nil"#
    ),
    (#Predicate { $0.summary?.contains("x") == nil }, "NOT summary != nil"),
    (#Predicate { $0.summary?.isEmpty == false }, #"summary != nil AND NOT summary == """#),
  ]

  // swift-format-ignore: NeverForceUnwrap
  static let forced: [(Predicate<Post>, String)] = [
    (#Predicate { $0.author!.age > 3 }, "author.age > 3"),
    (#Predicate { $0.bonus! > 3 }, "bonus > 3"),
  ]

  static let texts: [(Predicate<Post>, String)] = [
    (#Predicate { $0.title.contains("x") }, #"title CONTAINS "x""#),
    (#Predicate { $0.title.contains("") }, "TRUEPREDICATE"),
    (#Predicate { $0.title.starts(with: "x") }, #"title BEGINSWITH "x""#),
    (#Predicate { $0.title.isEmpty }, #"title == """#),
    (#Predicate { $0.title.count > 3 }, "length:(title) > 3"),
    (#Predicate { $0.title.localizedStandardContains("x") }, #"title CONTAINS[cdl] "x""#),
    (#Predicate { $0.title.caseInsensitiveCompare("x") == same }, #"title ==[c] "x""#),
    (#Predicate { $0.title.localizedCompare("x") == ascending }, #"title <[l] "x""#),
  ]

  static let collections: [(Predicate<Post>, String)] = [
    (#Predicate { $0.readers.count > 2 }, "readers.@count > 2"),
    (#Predicate { $0.readers.isEmpty }, "readers.@count == 0"),
    (#Predicate { $0.marks.contains(3) }, "3 IN marks"),
    (#Predicate { [1, 2].contains($0.score) }, "score IN {1, 2}"),
    (#Predicate { (1...3).contains($0.score) }, "score BETWEEN {1, 3}"),
    (#Predicate { (1..<3).contains($0.score) }, "score >= 1 AND score < 3"),
    (#Predicate { ($0.score..<9).contains(4) }, "4 >= score AND 4 < 9"),
    (
      #Predicate { $0.readers.contains { $0.age > 3 } },
      "SUBQUERY(readers, $x1, $x1.age > 3).@count > 0"
    ),
    (
      #Predicate { $0.readers.allSatisfy { $0.age > 3 } },
      "SUBQUERY(readers, $x1, NOT $x1.age > 3).@count == 0"
    ),
    (
      #Predicate { $0.readers.filter { $0.age > 3 }.count == 1 },
      "SUBQUERY(readers, $x1, $x1.age > 3).@count == 1"
    ),
    (#Predicate { $0.marks.contains { $0 > 3 } }, "SUBQUERY(marks, $x1, $x1 > 3).@count > 0"),
    (#Predicate { $0.marks[0] == 1 }, "marks[0] == 1"),
    (#Predicate { $0.marks.max() == 3 }, "max:(marks) == 3"),
    (#Predicate { $0.marks.first == 3 }, "marks.@firstObject == 3"),
  ]

  static let calculations: [(Predicate<Post>, String)] = [
    (#Predicate { $0.score + 1 > 3 }, "score + 1 > 3"),
    (#Predicate { $0.score - 1 > 3 }, "score - 1 > 3"),
    (#Predicate { $0.score * 2 > 3 }, "score * 2 > 3"),
    (#Predicate { $0.score / 2 > 3 }, "score / 2 > 3"),
    (#Predicate { $0.rating / 2 > 3 }, "rating / 2.0 > 3.0"),
    (#Predicate { $0.score % 2 == 1 }, "modulus:by:(score, 2) == 1"),
    (#Predicate { -$0.score < 0 }, "0 - score < 0"),
    (#Predicate { ($0.isDone ? $0.score : 0) > 3 }, "TERNARY(isDone == 1, score, 0) > 3"),
  ]

  static let constants: [(Predicate<Post>, String)] = [
    (#Predicate { filter.text.isEmpty || $0.title.contains(filter.text) }, "TRUEPREDICATE"),
    (#Predicate { filter.names.contains($0.title) }, #"title IN {"a", "b"}"#),
    (#Predicate { $0.author?.name == name }, #"author.name == "bob""#),
    (#Predicate { $0.score > 1 + 2 }, "score > 3"),
    (#Predicate { $0.isDone && false }, "FALSEPREDICATE"),
  ]

  private func check(_ row: (Predicate<Post>, String)) throws {
    let translated = try NSPredicate(translating: row.0)
    #expect(translated.formatText == row.1)
    #expect(NSPredicate(row.0)?.formatText == row.1)
    // The printed text parses to an equal predicate.
    let parsed = try NSPredicate(parsing: row.1)
    #expect(parsed.formatText == row.1)
  }

  @Test(arguments: comparisons.indices)
  func `Comparisons and logic are translated`(_ index: Int) throws {
    try check(Self.comparisons[index])
  }

  @Test(arguments: optionals.indices)
  func `Optionals are translated`(_ index: Int) throws { try check(Self.optionals[index]) }

  @Test(arguments: forced.indices)
  func `Forced optionals are translated`(_ index: Int) throws { try check(Self.forced[index]) }

  @Test(arguments: texts.indices)
  func `Text operations are translated`(_ index: Int) throws { try check(Self.texts[index]) }

  @Test(arguments: collections.indices)
  func `Collections and ranges are translated`(_ index: Int) throws {
    try check(Self.collections[index])
  }

  @Test(arguments: calculations.indices)
  func `Calculations are translated`(_ index: Int) throws { try check(Self.calculations[index]) }

  @Test(arguments: constants.indices)
  func `An expression without the object becomes a constant`(_ index: Int) throws {
    try check(Self.constants[index])
  }

  static let untranslatable: [(Predicate<Post>, String)] = [
    (#Predicate { $0.marks[0..<1].isEmpty }, "CollectionRangeSubscript"),
    (#Predicate { $0.marks.contains([1, 2]) }, "CollectionContainsCollection"),
    (#Predicate { $0.marks.starts(with: [1]) }, "SequenceStartsWith"),
    (#Predicate { $0 is Draft }, "TypeCheck"),
    (#Predicate { ($0 as? Draft) != nil }, "ConditionalCast"),
    (#Predicate { $0.heading == "a" }, "KeyPath"),
  ]

  @Test(arguments: untranslatable.indices)
  func `An operation without a Core Data form is refused by name`(_ index: Int) {
    let (predicate, node) = Self.untranslatable[index]
    let error = #expect(throws: PredicateTranslationError.self) {
      try NSPredicate(translating: predicate)
    }
    #expect(error?.node == node)
    #expect(NSPredicate(predicate) == nil)
  }

  @Test func `Expressions are translated`() throws {
    let expression = #Expression<Post, Int> { ($0.bonus ?? 0) + $0.score }
    let translated = try #require(NSExpression(expression))
    let post = Post()
    post.score = 2
    post.bonus = 3
    #expect(try translated.evaluated(with: post) as? Int == 5)
    #expect(
      try NSExpression(translating: #Expression<Post, Int> { $0.readers.count }).keyPath
        == "readers.@count")
    #expect(NSExpression(#Expression<Post, String> { $0.heading }) == nil)
  }

  @Test func `A regular expression may match anywhere`() throws {
    let predicate = Predicate<Post> {
      PredicateExpressions.build_contains(
        PredicateExpressions.build_KeyPath(root: $0, keyPath: \.title),
        PredicateExpressions.build_Arg(#/b+/#))
    }
    let translated = try NSPredicate(translating: predicate)
    let post = Post()
    post.title = "a\nbb\nc"
    #expect(translated.evaluate(with: post))
    post.title = "a"
    #expect(!translated.evaluate(with: post))
  }

  @Test func `A predicate with a text operation that Foundation lacks is evaluated`() throws {
    let predicate = #Predicate<Post> { $0.title.localizedStandardContains("ECOLE") }
    let post = Post()
    post.title = "l'école"
    #expect(try predicate.evaluate(post))
    post.title = "lycée"
    #expect(try !predicate.evaluate(post))
  }
}
