import Foundation
import PredicateLanguage
import Testing

@Suite("Prepared comparisons")
struct PreparationTests {
  private let people = (0..<500).map {
    ["name": "Person \($0)", "age": $0 % 50, "tags": ["a", "t\($0)"]] as [String: Any]
  }

  @Test(arguments: [
    "name MATCHES 'Person \\d+'", "name LIKE[cd] 'person*'", "name CONTAINS[cd] 'ERSON'",
    "name BEGINSWITH 'Per'",
    "name ==[c] 'person 7'", "ANY tags ==[c] 'A'",
    "age IN {1, 2, 3}", "name IN[cd] {'person 1', 'person 2'}",
  ])
  func `A pattern or list is prepared once for all objects`(_ text: String) throws {
    let predicate = try #require(NSPredicate(format: text) as? NSComparisonPredicate)
    let count = people.filter { predicate.evaluate(with: $0) }.count
    #expect(count > 0)
    #expect(predicate.preparation.compilations == 1)
  }

  @Test func `Plain equality and order need no preparation`() throws {
    for text in ["name == 'Person 7'", "age > 10", "name < 'Q'"] {
      let predicate = try #require(NSPredicate(format: text) as? NSComparisonPredicate)
      #expect(people.filter { predicate.evaluate(with: $0) }.count > 0)
      #expect(predicate.preparation.compilations == 0)
    }
  }

  @Test func `A changing pattern is prepared again`() throws {
    let predicate = try #require(NSPredicate(format: "$a CONTAINS $b") as? NSComparisonPredicate)
    #expect(predicate.evaluate(with: nil, substitutionVariables: ["a": "abc", "b": "b"]))
    #expect(!predicate.evaluate(with: nil, substitutionVariables: ["a": "abc", "b": "x"]))
    #expect(predicate.evaluate(with: nil, substitutionVariables: ["a": "xbc", "b": "x"]))
    #expect(predicate.preparation.compilations == 2)
  }

  @Test func `One predicate may be evaluated on many threads`() async {
    let predicate = SharedPredicate(
      NSPredicate(format: "name MATCHES 'Person 1.*' AND age IN {1, 10}"))
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<500).filter { predicate.holds("Person \($0)", age: $0 % 50) }.count }
      }
      for await count in group { #expect(count == 6) }
    }
  }

  /// A predicate of this module is immutable, which Foundation's class cannot express.
  private struct SharedPredicate: @unchecked Sendable {
    private let predicate: NSPredicate

    init(_ predicate: NSPredicate) { self.predicate = predicate }

    func holds(_ name: String, age: Int) -> Bool {
      predicate.evaluate(with: ["name": name, "age": age] as [String: Any])
    }
  }
}
