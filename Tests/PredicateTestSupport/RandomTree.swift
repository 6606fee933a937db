package import Foundation
package import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression
private typealias NSComparisonPredicate = PredicateLanguage.NSComparisonPredicate
private typealias NSCompoundPredicate = PredicateLanguage.CompoundPredicate

/// Makes random predicates of every kind that has a text form.
package struct RandomTree<Generator: RandomNumberGenerator> {
  private var generator: Generator
  /// The levels that the tree may still add.
  private var depth: Int

  package init(generator: Generator, depth: Int = 4) {
    self.generator = generator
    self.depth = depth
  }

  package mutating func predicate() -> NSPredicate {
    guard deeper() else { return comparison() }
    defer { depth += 1 }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return NSCompoundPredicate(type: .and, subpredicates: predicates())
    case 1: return NSCompoundPredicate(type: .or, subpredicates: predicates())
    case 2: return NSCompoundPredicate(type: .not, subpredicates: [predicate()])
    case 3: return NSPredicate(value: .random(using: &generator))
    default: return comparison()
    }
  }

  package mutating func expression() -> PredicateLanguage.NSExpression {
    guard deeper() else { return leaf() }
    defer { depth += 1 }
    switch Int.random(in: 0..<17, using: &generator) {
    case 0:
      return NSExpression(
        forFunction: pick(["add:to:", "from:subtract:", "multiply:by:"]), arguments: pair())
    case 1:
      return NSExpression(
        forFunction: pick(["divide:by:", "raise:toPower:", "modulus:by:"]), arguments: pair())
    case 2:
      return NSExpression(
        forFunction: pick(["abs:", "sum:", "uppercase:"]), arguments: [expression()])
    case 3: return NSExpression(forFunction: pick(["now", "random"]), arguments: [])
    case 4:
      return NSExpression(forFunction: "objectFrom:withIndex:", arguments: [expression(), index()])
    case 5:
      return NSExpression(
        forFunction: "castObject:toType:", arguments: [expression(), pick(["NSDate", "NSString"])])
    case 6:
      return NSExpression(
        forFunction: expression(), selectorName: pick(["foo", "foo:bar:"]), arguments: pair())
    case 7: return keyPathOfValue()
    case 8: return NSExpression(forAggregate: expressions())
    case 9: return NSExpression(forUnionSet: expression(), with: expression())
    case 10: return NSExpression(forIntersectSet: expression(), with: expression())
    case 11: return NSExpression(forMinusSet: expression(), with: expression())
    case 12:
      return NSExpression(
        forSubquery: expression(), usingIteratorVariable: name(), predicate: predicate())
    case 13:
      return NSExpression(
        forConditional: predicate(), trueExpression: expression(), falseExpression: expression())
    case 14:
      return NSFetchRequestExpression.expression(
        forFetch: expression(), context: expression(), countOnly: .random(using: &generator))
    default: return leaf()
    }
  }
}

extension RandomTree {
  private mutating func comparison() -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: expression(), rightExpression: expression(),
      modifier: pick([.direct, .direct, .any, .all]),
      type: pick([
        .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo,
        .matches, .like,
        .beginsWith, .endsWith, .in, .contains, .between,
      ]),
      options: .init(rawValue: pick([0, 0, 1, 2, 3, 4, 8, 11])))
  }

  private mutating func leaf() -> NSExpression {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: NSExpression(forKeyPath: keyPath())
    case 1: NSExpression(forVariable: name())
    case 2: .expressionForEvaluatedObject()
    default: NSExpression(forConstantValue: constant())
    }
  }

  private mutating func index() -> NSExpression {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: NSExpression(forFunction: pick(["first", "last", "size"]), arguments: [])
    default: expression()
    }
  }

  /// A key path of a value other than the object.
  private mutating func keyPathOfValue() -> NSExpression {
    NSExpression(
      forFunction: expression(), selectorName: "valueForKeyPath:",
      arguments: [NSExpression(forKeyPath: keyPath())])
  }

  private mutating func constant() -> Any? {
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: return nil
    case 1: return Bool.random(using: &generator)
    case 2: return Int.random(in: .min ... .max, using: &generator)
    case 3: return Int.random(in: -3...3, using: &generator)
    case 4: return UInt64.random(in: .min ... .max, using: &generator)
    case 5: return Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &generator))
    case 6: return -Double.random(in: 0...10, using: &generator)
    case 7: return NSDecimalNumber(string: pick(["0.1", "12345678901234567890.123", "-3", "1e30"]))
    case 8: return Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator))
    case 9:
      return UUID(
        uuidString: "00000000-0000-4000-8000-00000000000\(Int.random(in: 0...9, using: &generator))"
      )
    case 10: return Data([1, 2, UInt8.random(in: 0...255, using: &generator)])
    case 11: return [1, 2, text()] as [Any]
    case 12: return Set([text(), text()])
    default: return text()
    }
  }

  private mutating func text() -> String {
    (0..<Int.random(in: 0...4, using: &generator))
      .map { _ in
        pick([
          "a", "B", "é", "e\u{301}", "\"", "'", "\\", "\n", "\u{1}", "%@", "%", "🙂", " ", "\\d",
          "n",
        ])
      }
      .joined()
  }

  private mutating func keyPath() -> String {
    (0..<Int.random(in: 1...3, using: &generator)).map { _ in key() }.joined(separator: ".")
  }

  private mutating func key() -> String {
    pick([
      "name", "age", "@count", "@sum", "first", "SELF", "any", "größe", "_x", "two words", "#x",
      "and", "true", "x-y",
    ])
  }

  private mutating func name() -> String { pick(["x", "y", "SELF", "date"]) }

  private mutating func pair() -> [NSExpression] { [expression(), expression()] }

  private mutating func expressions() -> [NSExpression] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in expression() }
  }

  private mutating func predicates() -> [NSPredicate] {
    (0..<Int.random(in: 0...3, using: &generator)).map { _ in predicate() }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  private mutating func deeper() -> Bool {
    guard depth > 0 else { return false }
    depth -= 1
    return true
  }
}
