import Foundation
import PredicateLanguage
import TestSupport
import Testing

@Suite struct `Archives of predicates and expressions` {
  private func archive(_ object: some NSObject & NSCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  private func decoded(_ predicate: NSPredicate) throws -> NSPredicate {
    try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: archive(predicate)))
  }

  /// The names of the classes in an archive.
  private func classNames(_ data: Data) throws -> Set<String> {
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    let objects = try #require((list as? [String: Any])?["$objects"] as? [Any])
    return Set(objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String })
  }

  @Test(
    arguments: [
      "name == \"Ada\"", "age != 3", "age >= 3.5", "age BETWEEN {1, 9}", "NOT name LIKE \"a*\"",
      "name BEGINSWITH[cd] \"é\" AND (age < 3 OR age > 9)", "name ENDSWITH \"x\"",
      "name MATCHES \"a.*\"", "name CONTAINS[c] \"b\"", "name IN {\"a\", \"b\"}",
      "ANY tags.word == $word", "ALL pages.size > 1", "SELF == nil", "a.b.c == $x.y",
      "SUBQUERY(pages, $p, $p.size > 3 AND TRUEPREDICATE).@count > 0", "pages.@count == 2",
      "a + 2 * b < 10", "uppercase(name) == \"A\"", "TERNARY(age > 1, 2, 3) == 2",
      "FUNCTION(name, \"length\") > 3", "a UNION b == c", "a INTERSECT b == c", "a MINUS b == c",
      "CAST(d, \"NSNumber\") > 3", "TRUEPREDICATE", "FALSEPREDICATE", "name TOKENMATCHES \"a b\"",
    ])
  func `A predicate comes back as it was`(format: String) throws {
    let predicate = try NSPredicate(parsing: format)
    let copy = try decoded(predicate)
    #expect(copy.formatText == predicate.formatText)
    #expect(copy.isEqual(predicate) && type(of: copy) == type(of: predicate))
  }

  @Test func `Constants keep their types`() throws {
    let values: [Any] = [
      "text", 3, -1, Int64.max, 2.5, true, false, Date(timeIntervalSinceReferenceDate: 1.5),
      Data([1, 2]), UUID(), NSDecimalNumber(string: "1.25"), ["a", "b"],
      NSSet(array: [1, 2]), NSNull(),
    ]
    for value in values {
      let expression = NSExpression(forConstantValue: value)
      let copy = try #require(
        try NSKeyedUnarchiver.unarchivedObject(
          ofClass: NSExpression.self, from: archive(expression)))
      #expect(copy.isEqual(expression), "\(value)")
    }
    let null = NSExpression(forConstantValue: nil)
    let copy = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSExpression.self, from: archive(null))
    #expect(copy?.constantValue == nil && copy != nil)
  }

  @Test func `Archives have the names of Apple's classes`() throws {
    let names = try classNames(
      archive(NSPredicate(format: "a.b == 'x' AND (c < $v OR sum(d) IN {1, 2} OR TRUEPREDICATE)")))
    #expect(
      names == [
        "NSCompoundPredicate", "NSComparisonPredicate", "NSTruePredicate", "NSArray",
        "NSEqualityPredicateOperator", "NSComparisonPredicateOperator", "NSInPredicateOperator",
        "NSKeyPathExpression", "NSKeyPathSpecifierExpression", "NSSelfExpression",
        "NSConstantValueExpression", "NSVariableExpression", "NSFunctionExpression",
        "NSAggregateExpression", "NSMutableArray",
      ])
  }

  @Test func `Both constants can be in one archive`() throws {
    let both = NSCompoundPredicate(orPredicateWithSubpredicates: [
      NSPredicate(value: false), NSPredicate(value: true), NSPredicate(format: "a == 1"),
    ])
    #expect(try decoded(both).formatText == "FALSEPREDICATE OR TRUEPREDICATE OR a == 1")
  }

  @Test func `A comparison can be asked for by its class`() throws {
    let data = try archive(NSPredicate(format: "a == 1"))
    let copy = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSComparisonPredicate.self, from: data)
    #expect(copy?.formatText == "a == 1")
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSComparisonPredicate.self, from: archive(NSPredicate(format: "a == 1 OR b == 1")))
    }
  }

  // MARK: Permission

  @Test func `A predicate from a secure archive is evaluated after it was allowed`() throws {
    let copy = try decoded(NSPredicate(format: "a == 1 AND (b == 2 OR NOT b == 2)"))
    copy.allowEvaluation()
    #expect(copy.evaluate(with: ["a": 1, "b": 3]))
    #expect(try !copy.evaluated(with: ["a": 2, "b": 3]))
  }

  @Test func `A predicate from a secure archive cannot be evaluated before`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: NSPredicate(format: "a == 1"), requiringSecureCoding: true)
      let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
      _ = copy?.evaluate(with: ["a": 1])
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("then call allowEvaluation()"))
  }

  @Test func `An expression from a secure archive cannot be evaluated before it was allowed`()
    async throws
  {
    let data = try archive(NSExpression(forKeyPath: "a"))
    let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data)
    copy?.allowEvaluation()
    #expect(copy?.expressionValue(with: ["a": 4], context: nil) as? Int == 4)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: NSExpression(forKeyPath: "a"), requiringSecureCoding: true)
      let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data)
      _ = copy?.expressionValue(with: ["a": 1], context: nil)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("comes from a secure archive"))
  }

  @Test func `A closure has no archive`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try NSKeyedArchiver.archivedData(
        withRootObject: NSPredicate { _, _ in true }, requiringSecureCoding: true)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("has no archived form"))
  }

  // MARK: Hostile archives

  /// An archive with one of its texts or numbers replaced.
  private func changed(
    _ predicate: NSPredicate, _ change: (inout [String: Any]) -> Void
  ) throws -> Data {
    let list = try PropertyListSerialization.propertyList(
      from: archive(predicate), options: .mutableContainersAndLeaves, format: nil)
    var top = try #require(list as? [String: Any])
    var objects = try #require(top["$objects"] as? [Any])
    for index in objects.indices {
      guard var object = objects[index] as? [String: Any] else { continue }
      change(&object)
      objects[index] = object
    }
    top["$objects"] = objects
    return try PropertyListSerialization.data(fromPropertyList: top, format: .binary, options: 0)
  }

  @Test(arguments: [
    ("NSOperatorType", 77), ("NSModifier", 9), ("NSExpressionType", 19), ("NSExpressionType", -4),
  ])
  func `An archive with an unknown number is an error`(key: String, number: Int) throws {
    let data = try changed(NSPredicate(format: "a == 1")) { object in
      if object[key] != nil { object[key] = number }
    }
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
    }
  }

  @Test(arguments: [
    "NSLeftExpression", "NSRightExpression", "NSPredicateOperator", "NSKeyPath", "NSArguments",
    "NSOperand",
  ])
  func `An archive without a key is an error`(key: String) throws {
    let data = try changed(NSPredicate(format: "a == 1")) { $0[key] = nil }
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
    }
  }
}
