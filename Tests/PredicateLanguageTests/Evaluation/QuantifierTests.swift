import Foundation
import PredicateLanguage
import Testing

@Suite("ANY, ALL and NONE")
struct QuantifierTests {
  private static var object: [String: Any] {
    [
      "tags": [["name": "a", "n": 1], ["name": "b", "n": 2]] as [[String: Any]], "empty": [Int](),
      "set": NSSet(array: [1, 2]), "one": 1,
      "holes": [["n": 1], [:]] as [[String: Int]],
    ]
  }

  @Test(arguments: [
    ("ANY tags.name == 'b'", true), ("ANY tags.name == 'c'", false), ("ALL tags.n > 0", true),
    ("ALL tags.n > 1", false), ("NONE tags.n > 2", true),
    ("NONE tags.n > 1", false), ("ANY set == 2", true), ("ANY empty == 1", false),
    ("ALL empty == 1", true),
    ("NONE empty == 1", true), ("ANY missing == 1", false),
    ("ALL missing == 1", true), ("ANY tags.name IN {'x', 'a'}", true),
    ("ANY tags.name BEGINSWITH[c] 'B'", true),
    ("ANY holes.n == nil", true),
    ("ALL holes.n == 1", false), ("ANY tags.n BETWEEN {2, 3}", true), ("SOME tags.n == 1", true),
  ])
  func `A quantifier compares each element`(_ text: String, _ holds: Bool) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object) == holds)
  }

  @Test(arguments: ["ANY one == 1", "ALL one == 1", "NONE one == 1"])
  func `A quantifier of a value that is not a collection is an error`(_ text: String) {
    let error = #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: text).evaluated(with: Self.object)
    }
    #expect(error?.code == .notACollection)
  }

  @Test(arguments: [
    ("SUBQUERY(tags, $t, $t.n > 1).@count == 1", true),
    ("SUBQUERY(tags, $t, $t.n > 1 AND $t.name == 'b').name == {'b'}", true),
    ("SUBQUERY(tags, $t, $t.n > one).@count == 1", true),
    ("SUBQUERY(missing, $t, $t.n > 1).@count == 0", true),
    ("SUBQUERY(tags, $t, SUBQUERY(tags, $u, $u.n > $t.n).@count == 1)[0].name == 'a'", true),
    ("SUBQUERY(tags, $t, SUBQUERY(set, $t, $t > 1).@count == 1).@count == 2", true),
  ])
  func `A subquery keeps the elements for which its predicate holds`(_ text: String, _ holds: Bool)
    throws
  {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object) == holds)
  }
}
