import Foundation
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `Templates of predicates` {
  /// The predicate from the parser.
  ///
  /// The text is too long for the cache, so it never has a template.
  private func read(_ format: String, _ arguments: [Any]) throws -> NSPredicate {
    try NSPredicate(parsing: format + String(repeating: " ", count: 1_100), arguments: arguments)
  }

  private static var formats: [(String, [[Any]])] {
    [
      (
        "a == %@",
        [
          ["x"], [7], [2.5], [NSNull()], [[1, 2]], [Date(timeIntervalSinceReferenceDate: 9)], ["y"],
        ]
      ),
      ("a.b < %d AND c == %@", [[1, "x"], [2, "y"], [3, 4]]),
      ("%@ == a", [["x"], ["y"]]), ("%d == %@", [[1, 2], [3, "z"]]),
      (
        "NOT (a BEGINSWITH[cd] %@ OR (b == 1 AND c IN %@)) AND d == 4",
        [["é", [1]], ["x", Set([2])]]
      ),
      ("a IN {%@, 3, %d}", [[1, 2], ["x", 5]]),
      ("a + %d > 2 * %d AND b == %d", [[1, 2, 3], [4, 5, 6]]),
      ("SUBQUERY(a, $x, $x.b == %d).@count > %d", [[1, 0], [2, 3]]),
      ("ANY a.b ==[c] %@", [["x"], ["Y"]]), ("a BETWEEN %@", [[[1, 2]], [[3, 4]]]),
      ("a == 1 AND TRUEPREDICATE", [[], []]),
      ("TERNARY(a == %d, %@, c) == d", [[1, "x"], [2, "y"]]),
      ("%K == %@", [["a", 1], ["b", 2], ["a.b", 3]]),
      ("-%d < a", [[1], [2]]), ("CAST(%d, 'NSDate') < a", [[1], [2]]), ("TRUEPREDICATE", [[], []]),
    ]
  }

  @Test(arguments: 0..<16) func `A template gives the parsed predicate for every argument`(
    index: Int
  ) throws {
    let (format, calls) = Self.formats[index]
    var generator = SeededGenerator.forTest()
    for _ in 0..<20 {
      for arguments in calls.shuffled(using: &generator) {
        let predicate = try NSPredicate(parsing: format, arguments: arguments)
        let expected = try read(format, arguments)
        #expect(predicate.formatText == expected.formatText, "\(generator)")
        #expect(predicate.isEqual(expected), "\(generator)")
        #expect(predicate.structuralHash == expected.structuralHash)
        #expect(type(of: predicate) == type(of: expected))
        #expect(expected.template == nil)
      }
    }
  }

  @Test(arguments: [
    "a == %d", "a == %d AND b == %@", "a + %d == 1", "NOT (a IN {%d, 2} OR b == 1)",
  ])
  func `Arguments that do not fit are left to the parser`(format: String) throws {
    for number in 0..<2 { _ = try NSPredicate(parsing: format, arguments: [number, "x"]) }
    for arguments in [["text", 1], [], [NSNull(), 1]] as [[Any]] {
      let expected = #expect(throws: PredicateParseError.self) { try read(format, arguments) }
      let error = #expect(throws: PredicateParseError.self) {
        try NSPredicate(parsing: format, arguments: arguments)
      }
      #expect(error?.message == expected?.message)
    }
    let fitting = try NSPredicate(parsing: format, arguments: [2, "y"])
    #expect(fitting.isEqual(try read(format, [2, "y"])))
  }

  private func argumentsSeen(
    by template: PredicateTemplate, in predicate: NSPredicate
  ) -> [PredicateLanguage.NSExpression] {
    var arguments: [PredicateLanguage.NSExpression] = []
    template.forEachArgument(of: predicate) { arguments.append($0) }
    return arguments
  }

  /// The values that a format's template finds in a predicate.
  ///
  /// The second parse creates the template.
  private func templateValues(_ format: String, _ arguments: [Any]) throws -> [Any?]? {
    _ = try NSPredicate(parsing: format, arguments: arguments)
    let predicate = try NSPredicate(parsing: format, arguments: arguments)
    return predicate.template.map { argumentsSeen(by: $0, in: predicate).map(\.constantValue) }
  }

  @Test func `Templates know a predicate's arguments from left to right`() throws {
    #expect(
      try templateValues("a == %@ AND (%d < b OR NOT c IN %@)", ["x", 2, [3]])?
        .map { "\($0 ?? "-")" } == ["x", "2", "[3]"])
    #expect(try templateValues("%d == %d", [1, 2]) as? [Int] == [1, 2])
    #expect(try templateValues("a == 1 AND b == 'x'", [])?.isEmpty == true)
  }

  @Test(arguments: [
    "a IN {%d, 2}", "a + %d == 1", "SUBQUERY(a, $x, $x.b == %d).@count == 0",
    "a == 1 AND b * %d > 1",
  ])
  func `Templates skip arguments deeper than the side of a comparison`(format: String)
    throws
  {
    #expect(try templateValues(format, [1]) == nil)
  }

  @Test func `A template belongs to all predicates of one format`() throws {
    let predicates = try (0..<4).map {
      try NSPredicate(parsing: "templates == %@", arguments: [$0])
    }
    let template = try #require(predicates[1].template)
    #expect(predicates[0].template == nil)
    #expect(predicates[2].template === template && predicates[3].template === template)
    let others = [
      NSPredicate(format: "templates == 1"), NSPredicate(format: "templates == %ld", 1),
      NSPredicate(format: "templates == %@", NSExpression(forKeyPath: "x")),
      try predicates[1].substituting([:]),
      NSCompoundPredicate(notPredicateWithSubpredicate: predicates[1]),
      NSPredicate(value: true), NSPredicate { _, _ in true },
    ]
    #expect(others.allSatisfy { $0.template !== template })
    #expect((predicates[2].copy() as? NSPredicate)?.template === template)
  }

  @Test func `A compound's template belongs to the compound, not its parts`() throws {
    _ = NSPredicate(format: "a == %d AND b == 2", 1)
    let compound = NSPredicate(format: "a == %d AND b == 2", 3)
    #expect(compound.template != nil)
    let parts = try #require(compound as? NSCompoundPredicate).subpredicates
    #expect(parts.map(\.formatText) == ["a == 3", "b == 2"])
    #expect(parts.allSatisfy { $0.template == nil })
  }

  @Test func `Threads share templates`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<200 {
            let format = "serves == %d AND part\(number % 5) == %@"
            let predicate = try NSPredicate(parsing: format, arguments: [task, "n\(number)"])
            #expect(
              predicate.formatText == "serves == \(task) AND part\(number % 5) == \"n\(number)\"")
            guard let template = predicate.template else { continue }
            #expect(
              argumentsSeen(by: template, in: predicate).map(\.formatText) == [
                "\(task)", "\"n\(number)\"",
              ])
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
