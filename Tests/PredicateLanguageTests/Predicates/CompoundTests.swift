import Foundation
import PredicateLanguage
import Testing

@Suite("Compounds of both kinds")
struct CompoundTests {
  private let adult = NSPredicate(format: "age >= 18")
  private let bob = NSPredicate(format: "name == 'bob'")

  @Test func `Foundation's compounds evaluate predicates made here`() {
    let both = Foundation.NSCompoundPredicate(andPredicateWithSubpredicates: [adult, bob])
    #expect(both.evaluate(with: ["age": 18, "name": "bob"] as [String: Any]))
    #expect(!both.evaluate(with: ["age": 17, "name": "bob"] as [String: Any]))
    let either = Foundation.NSCompoundPredicate(orPredicateWithSubpredicates: [adult, bob])
    #expect(either.evaluate(with: ["age": 17, "name": "bob"] as [String: Any]))
    #expect(
      !Foundation.NSCompoundPredicate(notPredicateWithSubpredicate: bob).evaluate(with: [
        "name": "bob"
      ]))
  }

  @Test func `Foundation's compounds print their format`() {
    let inner = Foundation.NSCompoundPredicate(orPredicateWithSubpredicates: [
      adult, NSPredicate(value: false),
    ])
    let outer = Foundation.NSCompoundPredicate(andPredicateWithSubpredicates: [
      bob, inner, Foundation.NSCompoundPredicate(notPredicateWithSubpredicate: adult),
    ])
    #expect(
      outer.formatText == "name == \"bob\" AND (age >= 18 OR FALSEPREDICATE) AND NOT age >= 18")
  }

  @Test func `A compound that a program makes prints its contents`() {
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [adult, bob])
    #expect(both.predicateFormat == #"age >= 18 AND name == "bob""#)
    #expect("\(both)" == #"age >= 18 AND name == "bob""#)
    #expect(
      NSCompoundPredicate(notPredicateWithSubpredicate: both).predicateFormat == "NOT (\(both))")
  }

  @Test func `A compound that a program makes equals those with the same contents`() {
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [adult, bob])
    #expect(both == NSCompoundPredicate(type: .and, subpredicates: [adult, bob]))
    #expect(both == NSPredicate(format: "age >= 18 AND name == 'bob'"))
    #expect(both != NSCompoundPredicate(orPredicateWithSubpredicates: [adult, bob]))
    #expect(both != NSCompoundPredicate(andPredicateWithSubpredicates: [bob, adult]))
    #expect((both.copy() as? NSCompoundPredicate) == both)
    #expect(
      Set([both, NSCompoundPredicate(andPredicateWithSubpredicates: [adult, bob])]).count == 1)
  }

  @Test func `A copy of a compound, also of a subclass, is the same object`() {
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [adult, bob])
    #expect(both.copy() as? NSCompoundPredicate === both)
    #expect(both.copy(with: nil) as? NSCompoundPredicate === both)
    let noted = NotedPredicate(notPredicateWithSubpredicate: bob)
    #expect(noted.copy() as? NotedPredicate === noted)
  }

  @Test func `Compounds may contain predicates with a closure`() throws {
    let compound = Foundation.NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate { object, _ in (object as? [String: Int])?["age"] == 18 }, adult,
      ])
    #expect(try compound.evaluated(with: ["age": 18]))
    #expect(compound.formatText == "BLOCKPREDICATE AND age >= 18")
    let parsed = Foundation.NSCompoundPredicate(type: .not, subpredicates: [compound])
    #expect(try !parsed.evaluated(with: ["age": 18]))
  }

  @Test func `A closure receives the variables`() throws {
    let closure = NSPredicate { _, bindings in bindings?["x"] as? Int == 1 }
    let compound = Foundation.NSCompoundPredicate(andPredicateWithSubpredicates: [closure])
    #expect(try compound.evaluated(with: nil, substitutionVariables: ["x": 1]))
  }

  @Test func `An empty AND holds, an empty OR does not, and both print so`() {
    let and = Foundation.NSCompoundPredicate(type: .and, subpredicates: [])
    let or = Foundation.NSCompoundPredicate(type: .or, subpredicates: [])
    #expect(and.evaluate(with: nil))
    #expect(!or.evaluate(with: nil))
    #expect(and.formatText == "TRUEPREDICATE")
    #expect(or.formatText == "FALSEPREDICATE")
  }

  @Test func `Foundation's collections filter with predicates made here`() {
    let people: NSArray = [["age": 3], ["age": 30]]
    #expect(people.filtered(using: adult) as? [[String: Int]] == [["age": 30]])
  }

  @Test func `A compound stops at the first part that decides`() throws {
    #expect(try NSPredicate(format: "age == 1 OR age > 'x'").evaluated(with: ["age": 1]))
    #expect(try !NSPredicate(format: "age == 2 AND age > 'x'").evaluated(with: ["age": 1]))
    #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(format: "age == 2 OR age > 'x'").evaluated(with: ["age": 1])
    }
  }

  @Test func `A predicate's node describes it, whatever created it`() {
    func kind(_ predicate: NSPredicate) -> String {
      switch predicate.node {
      case .constant(let value): "\(value)"
      case .comparison(let comparison): "comparison \(comparison.formatText)"
      case .and(let parts): "and \(parts.count)"
      case .or(let parts): "or \(parts.count)"
      case .not: "not"
      case .opaque: "opaque"
      }
    }
    #expect(kind(NSPredicate(value: true)) == "true")
    #expect(kind(NSPredicate(value: false)) == "false")
    #expect(kind(NSPredicate { _, _ in true }) == "opaque")
    #expect(kind(bob) == "comparison name == \"bob\"")
    #expect(
      kind(Foundation.NSCompoundPredicate(type: .and, subpredicates: [bob, adult])) == "and 2")
    #expect(kind(NSPredicate(format: "a == 1 OR b == 2")) == "or 2")
    #expect(kind(NSPredicate(format: "NONE a.b == 1")) == "not")
  }
}

private final class NotedPredicate: NSCompoundPredicate {}
