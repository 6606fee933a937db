import Foundation
import PredicateLanguage
import Testing

@Suite("NSExpression")
struct NSExpressionTests {
  private let key = NSExpression(forKeyPath: "a")
  private let one = NSExpression(forConstantValue: 1)

  @Test func `Every kind has Apple's number and its own parts`() throws {
    #expect(one.expressionType.rawValue == 0)
    #expect(one.constantValue as? Int == 1)
    #expect(NSExpression.expressionForEvaluatedObject().expressionType.rawValue == 1)
    #expect(NSExpression(forVariable: "x").expressionType.rawValue == 2)
    #expect(NSExpression(forVariable: "x").variable == "x")
    #expect(key.expressionType.rawValue == 3)
    #expect(key.keyPath == "a")
    let union = NSExpression(forUnionSet: key, with: one)
    #expect(union.expressionType.rawValue == 5)
    #expect(union.left === key)
    #expect(union.right === one)
    #expect(NSExpression(forIntersectSet: key, with: one).expressionType.rawValue == 6)
    #expect(NSExpression(forMinusSet: key, with: one).expressionType.rawValue == 7)
    #expect(NSExpression.expressionForAnyKey().expressionType.rawValue == 15)
  }

  @Test func `A function has a name, an operand and arguments`() {
    let sum = NSExpression(forFunction: "add:to:", arguments: [key, 2])
    #expect(sum.expressionType.rawValue == 4)
    #expect(sum.function == "add:to:")
    #expect(sum.arguments?.map(\.description) == ["a", "2"])
    let call = NSExpression(forFunction: key, selectorName: "x:", arguments: [one])
    #expect(call.operand === key)
    #expect(call.arguments == [one])
    #expect(NSExpression(forFunction: key, selectorName: "x", arguments: nil).arguments == [])
  }

  @Test func `A subquery, an aggregate and a conditional have their parts`() {
    let predicate = NSPredicate(format: "b == 1")
    let subquery = NSExpression(forSubquery: key, usingIteratorVariable: "x", predicate: predicate)
    #expect(subquery.expressionType.rawValue == 13)
    #expect(subquery.collection as? NSExpression === key)
    #expect(subquery.variable == "x")
    #expect(subquery.predicate === predicate)
    let aggregate = NSExpression(forAggregate: [key, 2])
    #expect(aggregate.expressionType.rawValue == 14)
    #expect((aggregate.collection as? [NSExpression])?.map(\.description) == ["a", "2"])
    let conditional = NSExpression(
      forConditional: predicate, trueExpression: key, falseExpression: one)
    #expect(conditional.expressionType.rawValue == 20)
    #expect(conditional.true === key)
    #expect(conditional.false === one)
    #expect(conditional.predicate === predicate)
  }

  @Test func `A block gets the object, its arguments and the context`() {
    let block = NSExpression(
      block: { object, arguments, context in "\(object ?? "-") \(arguments) \(context?["k"] ?? "-")"
      },
      arguments: [one, NSExpression(forConstantValue: nil)])
    #expect(block.expressionType.rawValue == 19)
    #expect(block.expressionBlock("o", [], nil) as? String == "o [] -")
    let context: NSMutableDictionary = ["k": "v"]
    #expect(block.expressionValue(with: "o", context: context) as? String == "o [1, <null>] v")
  }

  @Test func `A subclass evaluates itself, also inside other expressions`() throws {
    final class Answer: PredicateLanguage.NSExpression, @unchecked Sendable {
      override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? { 42 }
    }
    let answer = Answer(expressionType: .function)
    #expect(answer.expressionType == .function)
    let sum = NSExpression(forFunction: "add:to:", arguments: [answer, 1])
    #expect(sum.expressionValue(with: nil, context: nil) as? Int == 43)
  }

  @Test func `Equal expressions are equal objects with one hash`() {
    let texts = [
      "a", "1", "$x", "a + 1", "{1, a}", "SUBQUERY(a, $x, b == 1)", "TERNARY(a == 1, 1, 2)",
      "a UNION b", "$x.a",
      "SELF",
    ]
    let expressions = texts.map { NSExpression(format: $0) }
    for (index, expression) in expressions.enumerated() {
      let twin = NSExpression(format: texts[index])
      #expect(expression == twin)
      #expect(expression.hash == twin.hash)
      #expect(expressions.filter { $0 == twin }.count == 1, "\(texts[index])")
    }
    #expect(
      NSExpression(forConstantValue: 1) == NSExpression(forConstantValue: NSNumber(value: 1.0)))
    #expect(NSExpression(forConstantValue: [1, 2]) == NSExpression(format: "{1, 2}"))
  }

  @Test func `A copy is the expression itself`() {
    #expect(key.copy() as? NSExpression === key)
    key.allowEvaluation()
    #expect(key.description == "a")
  }

  @Test func `Reading a part of another kind stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PredicateLanguage.NSExpression(forKeyPath: "a.b").constantValue
    }
    #expect(
      text(result).contains(
        "NSExpression.constantValue belongs to constant expressions; this one is of type keyPath: a.b"
      ))
  }

  @Test func `An unknown function stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PredicateLanguage.NSExpression(forFunction: "frobnicate:", arguments: [1])
    }
    #expect(text(result).contains("“frobnicate:” is not a function"))
  }
}
