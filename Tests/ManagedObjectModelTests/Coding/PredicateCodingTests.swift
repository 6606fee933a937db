import Foundation
import ManagedObjectModel
import PredicateLanguage
import PredicateTestSupport
import PropertyLists
import TestSupport
import Testing

private typealias Expression = PredicateLanguage.NSExpression

@Suite struct `Archives of predicates and expressions` {
  private func archive(_ object: some NSObject & NSSecureCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  private func decoded(_ predicate: NSPredicate) throws -> NSPredicate {
    try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: archive(predicate)))
  }

  private func decoded(_ expression: Expression) throws -> Expression {
    try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: Expression.self, from: archive(expression)))
  }

  // MARK: Round trips

  @Test(arguments: [
    "name == \"Ada\"", "age != 3", "age >= 3.5", "age BETWEEN {1, 9}", "NOT name LIKE \"a*\"",
    "name BEGINSWITH[cd] \"é\" AND (age < 3 OR age > 9)", "name ENDSWITH \"x\"",
    "name MATCHES \"a.*\"", "name CONTAINS[c] \"b\"", "name IN {\"a\", \"b\"}",
    "ANY tags.word == $word", "ALL pages.size > 1", "NONE a.b == 1", "SELF == nil",
    "a.b.c == $x.y", "SUBQUERY(pages, $p, $p.size > 3 AND TRUEPREDICATE).@count > 0",
    "pages.@count == 2", "a + 2 * b < 10", "uppercase(name) == \"A\"",
    "TERNARY(age > 1, 2, 3) == 2", "FUNCTION(name, \"length\") > 3", "a UNION b == c",
    "a INTERSECT b == c", "a MINUS b == c", "CAST(d, \"NSNumber\") > 3", "TRUEPREDICATE",
    "FALSEPREDICATE", "name TOKENMATCHES \"a b\"", "a == \"$null\"", "a[FIRST] == b[2]",
    "name TOKENMATCHES[cd] \"a b\"", "ANY names TOKENMATCHES[cdl] \"a\"",
    "ALL names TOKENMATCHES \"a\"",
    "NOT (NOT (NOT a == 1))", "FETCH($request, $context, YES) > 3",
  ])
  func `A predicate comes back as it was`(format: String) throws {
    let predicate = try NSPredicate(parsing: format)
    for copy in [
      try decoded(predicate), try NSPredicate(keyedArchive: predicate.keyedArchive()),
    ] {
      #expect(copy.formatText == predicate.formatText)
      #expect(copy.isEqual(predicate) && type(of: copy) == type(of: predicate))
    }
  }

  @Test func `Random predicates and expressions come back`() throws {
    let generator = SeededGenerator.forTest()
    var tree = RandomTree(generator: generator)
    for _ in 0..<500 {
      let predicate = tree.predicate()
      #expect(
        try decoded(predicate).isStructurallyEqual(to: predicate),
        "\(predicate.formatText) \(generator)")
      let expression = tree.expression()
      #expect(try decoded(expression) == expression, "\(expression) \(generator)")
    }
  }

  @Test func `Constants keep their values and all digits`() throws {
    let values: [Any] = [
      "text", "", 3, -1, Int64.min, UInt64.max, 2.5, Double.leastNonzeroMagnitude, -0.0,
      Double.infinity, Float(0.1), true, false,
      Date(timeIntervalSinceReferenceDate: 700_000_000.123456789), Date.distantPast,
      Data([0, 1, 255]), Data(), UUID(), URL(string: "https://example.com/a?b#c") as Any,
      NSDecimalNumber(string: "12345678901234567890.123456"), NSDecimalNumber(string: "-1e-30"),
      ["a", 1, NSNull()] as [Any], NSSet(array: [1, 2]), ["k": [1.5]] as [String: Any], NSNull(),
    ]
    for value in values {
      let expression = Expression(forConstantValue: value)
      let copy = try decoded(expression)
      #expect(copy == expression, "\(value)")
    }
    let date = try decoded(Expression(forConstantValue: values[13])).constantValue as? Date
    #expect(
      date?.timeIntervalSinceReferenceDate.bitPattern == (700_000_000.123456789).bitPattern)
    #expect(try decoded(Expression(forConstantValue: nil)).constantValue == nil)
  }

  @Test func `Equal predicates in one archive come back`() throws {
    let list: [NSPredicate] = [
      NSPredicate(format: "a == 1"), NSPredicate(format: "a == 1"),
      NSPredicate(format: "NOT a == 1"), NSPredicate(value: true), NSPredicate(value: false),
    ]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: list as NSArray, requiringSecureCoding: true)
    let copies = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, NSPredicate.self], from: data)
    #expect(
      (copies as? [NSPredicate])?.map(\.formatText) == [
        "a == 1", "a == 1", "NOT a == 1", "TRUEPREDICATE", "FALSEPREDICATE",
      ])
  }

  @Test func `An archive decodes as its own subclass, and as no other one`() throws {
    let data = try archive(NSPredicate(format: "a == 1"))
    let copy = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: PredicateLanguage.NSComparisonPredicate.self, from: data)
    #expect(copy?.formatText == "a == 1")
    #expect(throws: CocoaError.self) {
      try PredicateLanguage.NSComparisonPredicate(
        keyedArchive: NSPredicate(format: "a == 1 OR b == 1").keyedArchive())
    }
  }

  @Test func `Archives have the class names of Apple's`() throws {
    let data = try NSPredicate(format: "a.b == 'x' AND (c < $v OR sum(d) IN {1, 2})").keyedArchive()
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    let top = try #require(list as? [String: Any])
    #expect(top["$archiver"] as? String == "NSKeyedArchiver")
    let objects = try #require(top["$objects"] as? [Any])
    let names = Set(objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String })
    #expect(
      names.isSuperset(of: [
        "NSCompoundPredicate", "NSComparisonPredicate", "NSEqualityPredicateOperator",
        "NSComparisonPredicateOperator", "NSInPredicateOperator", "NSKeyPathExpression",
        "NSKeyPathSpecifierExpression", "NSSelfExpression", "NSConstantValueExpression",
        "NSVariableExpression", "NSFunctionExpression",
      ]))
  }

  // MARK: Sort descriptors and descriptions

  @Test(arguments: ["compare:", "localizedStandardCompare:", "caseInsensitiveCompare:"])
  func `Sort descriptors come back`(selector: String) throws {
    let list = [
      NSSortDescriptor(key: "a.b", ascending: false, selector: Selector(selector)),
      NSSortDescriptor(key: nil, ascending: true, selector: Selector(selector)),
    ]
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: list as NSArray, requiringSecureCoding: true)
    let copies = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, NSSortDescriptor.self], from: data)
    #expect(copies as? [NSSortDescriptor] == list)
  }

  @Test func `An expression description comes back`() throws {
    let count = NSExpressionDescription()
    count.name = "count"
    count.expression = Expression(format: "count:(emailAddress)")
    count.expressionResultType = .integer64AttributeType
    count.isOptional = true
    count.renamingIdentifier = "number"
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSExpressionDescription.self, from: archive(count)))
    #expect(copy.isEqual(count) && copy.name == "count")
    #expect(copy.expression == count.expression && copy.renamingIdentifier == "number")
    #expect(copy.expressionResultType == .integer64AttributeType && copy.isOptional)
  }

  // MARK: Permission

  @Test func `A decoded predicate is evaluated after it was allowed`() throws {
    let copy = try decoded(NSPredicate(format: "a == 1 AND (b == 2 OR NOT b == 2)"))
    let error = try #require(throws: PredicateEvaluationError.self) {
      try copy.evaluated(with: ["a": 1, "b": 3])
    }
    #expect(error.code == .notAllowed && error.message.contains("allowEvaluation()"))
    copy.allowEvaluation()
    #expect(copy.evaluate(with: ["a": 1, "b": 3]))
    #expect(try !copy.evaluated(with: ["a": 2, "b": 3]))
  }

  @Test func `Parts of a decoded predicate are restricted too, until the whole is allowed`() throws
  {
    let copy = try #require(
      try decoded(NSPredicate(format: "TERNARY(a > 1, b, SUBQUERY(c, $x, $x == 1)) == 2"))
        as? PredicateLanguage.NSComparisonPredicate)
    let left = copy.leftExpression
    #expect(throws: PredicateEvaluationError.self) { try left.evaluated(with: ["a": 3, "b": 2]) }
    #expect(throws: PredicateEvaluationError.self) {
      try left.predicate.evaluated(with: ["a": 3, "b": 2])
    }
    copy.allowEvaluation()
    #expect(try left.evaluated(with: ["a": 3, "b": 2]) as? Int == 2)
    #expect(try left.predicate.evaluated(with: ["a": 3, "b": 2]))
  }

  @Test func `Parts of other predicates and expressions are restricted too`() throws {
    let copy = try decoded(NSPredicate(format: "a == 1"))
    let compounds: [NSPredicate] = [
      CompoundPredicate(type: .not, subpredicates: [copy]),
      NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(value: true), copy]),
    ]
    let choice = Expression(
      forConditional: copy, trueExpression: Expression(forConstantValue: 1),
      falseExpression: Expression(forConstantValue: 2))
    for compound in compounds {
      #expect(throws: PredicateEvaluationError.self) { try compound.evaluated(with: ["a": 2]) }
    }
    #expect(throws: PredicateEvaluationError.self) { try choice.evaluated(with: ["a": 2]) }
    copy.allowEvaluation()
    #expect(try compounds.map { try $0.evaluated(with: ["a": 2]) } == [true, false])
    #expect(try choice.evaluated(with: ["a": 2]) as? Int == 2)
  }

  @Test func `New objects with a decoded expression are restricted too`() throws {
    let key = try decoded(Expression(forKeyPath: "a"))
    let one = Expression(forConstantValue: 1)
    let comparison = PredicateLanguage.NSComparisonPredicate(
      leftExpression: key, rightExpression: one, modifier: .direct, type: .equalTo)
    let expressions = [
      Expression(forFunction: "add:to:", arguments: [key, one]), Expression(forAggregate: [key]),
      Expression(
        forFunction: .expressionForEvaluatedObject(), selectorName: "valueForKeyPath:",
        arguments: [key]),
    ]
    let error = #expect(throws: PredicateEvaluationError.self) {
      try comparison.evaluated(with: ["a": 1])
    }
    #expect(error?.code == .notAllowed)
    for expression in expressions {
      #expect(throws: PredicateEvaluationError.self, "\(expression)") {
        try expression.evaluated(with: ["a": 1])
      }
    }
    key.allowEvaluation()
    #expect(try comparison.evaluated(with: ["a": 1]))
    #expect(try expressions[0].evaluated(with: ["a": 1]) as? Int == 2)
  }

  @Test func `A copy for a fetch is not restricted`() throws {
    let copy = try decoded(NSPredicate(format: "a == 1 AND b + 1 IN {2, c}"))
    let forFetch = try copy.replacingExpressions { _ in nil }
    #expect(try forFetch.evaluated(with: ["a": 1, "b": 1, "c": 3]))
    #expect(throws: PredicateEvaluationError.self) {
      try copy.evaluated(with: ["a": 1, "b": 1, "c": 3])
    }
  }

  @Test func `A copy with values for the variables is restricted too`() throws {
    let copy = try decoded(NSPredicate(format: "a == $x AND TERNARY(b > $x, 1, 2) == 2"))
    let filled = copy.withSubstitutionVariables(["x": 1])
    let parts = (filled as? NSCompoundPredicate)?.subpredicates
    let last = try #require(parts?.last as? PredicateLanguage.NSComparisonPredicate)
    #expect(throws: PredicateEvaluationError.self) { try filled.evaluated(with: ["a": 1, "b": 0]) }
    #expect(throws: PredicateEvaluationError.self) {
      try last.leftExpression.evaluated(with: ["a": 1, "b": 0])
    }
    filled.allowEvaluation()
    #expect(try filled.evaluated(with: ["a": 1, "b": 0]))
    #expect(throws: PredicateEvaluationError.self) {
      try copy.evaluated(with: ["a": 1, "b": 0], substitutionVariables: ["x": 1])
    }
  }

  @Test func `A decoded expression is evaluated after it was allowed`() throws {
    let copy = try decoded(Expression(forKeyPath: "a"))
    #expect(throws: PredicateEvaluationError.self) { try copy.evaluated(with: ["a": 4]) }
    copy.allowEvaluation()
    #expect(copy.expressionValue(with: ["a": 4], context: nil) as? Int == 4)
    #expect((copy.copy() as? Expression) === copy)
  }

  @Test func `A decoded predicate that was not allowed stops the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let copy = try NSPredicate(keyedArchive: NSPredicate(format: "a == 1").keyedArchive())
      _ = copy.evaluate(with: ["a": 1])
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("then call allowEvaluation()"))
  }

  @Test func `A predicate that was not decoded needs no permission`() throws {
    #expect(NSPredicate(format: "a == 1").evaluate(with: ["a": 1]))
  }

  // MARK: Without an archived form

  @Test func `A closure has no archive`() async throws {
    #expect(throws: CocoaError.self) { try NSPredicate { _, _ in true }.keyedArchive() }
    let error = try #require(throws: CocoaError.self) {
      try Expression(forConstantValue: Mirror(reflecting: 1)).keyedArchive()
    }
    #expect(error.code == .coderInvalidValue)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try NSKeyedArchiver.archivedData(
        withRootObject: NSPredicate { _, _ in true }, requiringSecureCoding: true)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("cannot be encoded"))
  }

  // MARK: Hostile archives

  private static let sample =
    "a.b == 'x' AND (c < $v OR SUBQUERY(d, $x, sum($x.e) IN {1, 2.5}).@count > 0)"

  @Test func `Every truncation is an error`() throws {
    let data = try NSPredicate(format: Self.sample).keyedArchive()
    for count in 0..<data.count {
      #expect(throws: CocoaError.self) { try NSPredicate(keyedArchive: data.prefix(count)) }
    }
  }

  @Test func `Changed bytes give an error or a usable predicate`() throws {
    var random = SeededGenerator.forTest()
    let data = try NSPredicate(format: Self.sample).keyedArchive()
    for _ in 0..<500 {
      var changed = data
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      guard let predicate = try? NSPredicate(keyedArchive: changed) else { continue }
      _ = predicate.formatText
      predicate.allowEvaluation()
      _ = try? predicate.evaluated(with: ["a": ["b": "x"], "c": 1, "d": [["e": [1]]]])
      _ = try decoded(predicate)
    }
  }

  /// Archives of an object whose bytes are missing, or replaced by other values.
  private func replaced(_ object: some NSObject & NSSecureCoding) throws -> [Data] {
    let list = try PropertyListSerialization.propertyList(
      from: archive(object), format: nil)
    let top = try #require(list as? [String: Any])
    let objects = try #require(top["$objects"] as? [Any])
    let key = "ParhelionKeyedArchive"
    let references = objects.compactMap { ($0 as? [String: Any])?["$class"] }
    let values: [Any?] = [
      nil, Data([1, 2, 3]), Data(), "text", 5, [1], ["a": 1], references.first,
    ]
    return try values.map { value in
      var top = top
      top["$objects"] = objects.map { object -> Any in
        guard var fields = object as? [String: Any], fields[key] != nil else { return object }
        fields[key] = value
        return fields
      }
      return try PropertyListSerialization.data(
        fromPropertyList: top, format: .binary, options: 0)
    }
  }

  @Test func `An archive without its bytes, or with other values, is an error`() throws {
    for data in try replaced(NSPredicate(format: "a == 1")) {
      #expect(throws: (any Error).self) {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
      }
    }
    for data in try replaced(Expression(forKeyPath: "a")) {
      #expect(throws: (any Error).self) {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: Expression.self, from: data)
      }
    }
    for data in try replaced(NSSortDescriptor(key: "a", ascending: true)) {
      #expect(throws: (any Error).self) {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
      }
    }
    for data in try replaced(NSExpressionDescription()) {
      #expect(throws: (any Error).self) {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpressionDescription.self, from: data)
      }
    }
  }

  @Test func `A predicate that is nested too deeply is an error when it is read`() throws {
    var predicate = NSPredicate(format: "a == 1")
    for _ in 0..<1_000 {
      predicate = CompoundPredicate(type: .not, subpredicates: [predicate])
    }
    let error = try #require(throws: CocoaError.self) {
      try NSPredicate(keyedArchive: predicate.keyedArchive())
    }
    #expect(error.code == .coderReadCorrupt)
  }
}
