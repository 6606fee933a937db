import Foundation
import PredicateLanguage
import Testing

@Suite("Functions")
struct FunctionTests {
  private static var object: [String: Any] {
    [
      "list": [1, 2, 2, 5], "empty": [Int](), "text": "Émile",
      "d": Date(timeIntervalSinceReferenceDate: 100),
      "map": ["k": "v"],
      "decimals": [Decimal(string: "0.1") ?? 0, Decimal(string: "0.2") ?? 0], "words": ["b", "a"],
    ]
  }

  private func value(_ text: String) throws -> Any? {
    try NSExpression(parsing: text).evaluated(with: Self.object)
  }

  @Test(arguments: [
    ("1 + 2", 3), ("1 - 2", -1), ("3 * 4", 12), ("7 / 2", 3), ("-7 / 2", -3), ("2 ** 10", 1024),
    ("modulus:by:(7, 3)", 1), ("modulus:by:(-7, 3)", -1),
    ("abs(-3)", 3), ("floor(3)", 3), ("sum(list)", 10), ("sum({1, 2})", 3), ("sum(1, 2)", 3),
    ("sum(empty)", 0), ("average(empty)", 0),
    ("count(list)", 4), ("min(list)", 1),
    ("max(list)", 5), ("length(text)", 5), ("bitwiseAnd:with:(12, 10)", 8),
    ("bitwiseOr:with:(12, 10)", 14),
    ("bitwiseXor:with:(12, 10)", 6),
    ("length('🪐')", 2), ("rightshift:by:(-8, 1)", -4), ("median({7})", 7),
    ("median({10, 1, 2})", 2),
    ("2 ** 62", 1 << 62),
    ("2 ** 0", 1), ("(-2) ** 63", Int.min), ("abs(-9223372036854775807)", Int.max),
    ("list[1.9]", 2),
    ("leftshift:by:(1, 4)", 16), ("rightshift:by:(16, 4)", 1), ("leftshift:by:(1, 400)", 0),
    ("onesComplement:(0)", -1),
    ("list[0]", 1), ("list[LAST]", 5),
    ("list[SIZE]", 4), ("list[FIRST] + list[1]", 3), ("noindex:(7)", 7),
    ("CAST('12', 'NSNumber')", 12),
    ("TERNARY(list[0] == 1, 10, 20)", 10), ("-list[0]", -1),
    ("modulus:by:(-9223372036854775808, -1)", 0),
  ])
  func `Functions of integers return integers`(_ text: String, _ result: Int) throws {
    #expect(try value(text) as? Int == result)
  }

  @Test(arguments: [
    ("7 / 2.0", 3.5), ("1.5 + 1", 2.5), ("sqrt(16)", 4), ("log(1000)", 3), ("ln(1)", 0),
    ("exp(0)", 1),
    ("floor(2.7)", 2), ("ceiling(2.1)", 3), ("trunc(-2.7)", -2),
    ("abs(-2.5)", 2.5), ("average(list)", 2.5), ("median({1, 2, 3, 10})", 2.5),
    ("stddev({2, 4, 4, 4, 5, 5, 7, 9})", 2),
    ("2 ** 0.5", 1.4142135623730951),
    ("2 ** -1", 0.5), ("2 ** 63", 9.223372036854775808e18), ("4 ** 32", 1.8446744073709551616e19),
    ("9223372036854775807 + 1", 9.223372036854775807e18),
    ("-9223372036854775808 / -1", 9.223372036854775807e18), ("3 ** 100", 5.153775207320113e47),
    ("modulus:by:(7.5, 2)", 1.5), ("CAST(d, 'NSNumber')", 100), ("1 / 0.0", .infinity),
  ])
  func `Functions of fractions, and results beyond 64 bits, return floating-point numbers`(
    _ text: String, _ result: Double
  ) throws {
    #expect(try value(text) as? Double == result)
  }

  @Test func `Decimals stay exact`() throws {
    #expect(try value("sum(decimals)") as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
    #expect(
      try value("decimals[0] * 3 + 0.1") as? NSDecimalNumber == NSDecimalNumber(string: "0.4"))
    #expect(try value("average(decimals)") as? NSDecimalNumber == NSDecimalNumber(string: "0.15"))
    #expect(try value("floor(decimals[0] * -11)") as? NSDecimalNumber == -2)
    #expect(try value("trunc(decimals[0] * -11)") as? NSDecimalNumber == -1)
  }

  @Test(arguments: [
    ("uppercase(text)", "ÉMILE"), ("lowercase:(text)", "émile"), ("canonical:(text)", "emile"),
    ("CAST(5, 'NSString')", "5"), ("map['k']", "v"), ("map.k", "v"),
    ("max(words)", "b"), ("FUNCTION(text, 'uppercaseString')", "ÉMILE"),
    ("FUNCTION(map, 'valueForKey:', 'k')", "v"),
    ("FUNCTION(map, 'valueForKeyPath:', 'k')", "v"),
  ])
  func `Functions of texts return texts`(_ text: String, _ result: String) throws {
    #expect(try value(text) as? String == result)
  }

  @Test(arguments: [
    "CAST(2.5, 'NSString') == '2.5'", "CAST(d, 'NSString') == '2001-01-01 00:01:40 +0000'",
    "CAST(CAST(1e13, 'NSDate'), 'NSString') == '10000000000000.0'",
    "CAST(CAST('00000000-0000-4000-8000-00000000000a', 'NSUUID'), 'String') == '00000000-0000-4000-8000-00000000000A'",
    "CAST(CAST('https://example.org/a', 'NSURL'), 'NSString') == 'https://example.org/a'",
    "CAST('12', 'NSNumber') == 12",
    "CAST('18446744073709551615', 'NSNumber') == 18446744073709551615",
    "CAST('-1.5', 'NSNumber') == -1.5", "CAST(d, 'NSNumber') == 100", "CAST(100, 'NSDate') == d",
    "CAST('0.1', 'NSDecimalNumber') + CAST('0.2', 'NSDecimalNumber') == CAST('0.3', 'NSDecimalNumber')",
    "CAST('AQI=', 'NSData').length == 2", "CAST(text, 'NSString') == text",
  ])
  func `A cast converts a value to another type`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object))
  }

  @Test(arguments: [
    "CAST('x', 'NSNumber')", "CAST('x', 'NSUUID')", "CAST('AQI', 'NSData')", "CAST(1, 'NSURL')",
    "CAST(1, 'NSUUID')",
    "CAST(d, 'NSDecimalNumber')", "CAST('x', 'NSDecimalNumber')", "CAST(list, 'NSString')",
    "CAST(text, 'NSDate')",
  ])
  func `A value that the type cannot hold is an error`(_ text: String) {
    let error = #expect(throws: PredicateEvaluationError.self) { try value(text) }
    #expect(error?.code == .badFunctionCall)
  }

  @Test func `A date moves by seconds, and compares to a number by its seconds`() throws {
    #expect(try value("d + 20") as? Date == Date(timeIntervalSinceReferenceDate: 120))
    #expect(try value("20 + d") as? Date == Date(timeIntervalSinceReferenceDate: 120))
    #expect(try value("d - 20.5") as? Date == Date(timeIntervalSinceReferenceDate: 79.5))
    #expect(try value("d - CAST(40, 'NSDate')") as? Double == 60)
    #expect(try value("sum({d, d})") as? Double == 200)
    #expect(try value("missing + d") == nil)
    for format in ["d > 99", "d <= 100", "d == 100", "100 == d", "d != 101", "d BETWEEN {99, 101}"]
    {
      #expect(try NSPredicate(parsing: format).evaluated(with: Self.object), "\(format)")
    }
    #expect(throws: PredicateEvaluationError.self) { try value("5 - d") }
  }

  @Test func `Functions of collections return collections`() throws {
    #expect(try value("mode(list)") as? [Int] == [2])
    #expect(try value("mode({3, 1, 3, 1, 2})") as? [Int] == [1, 3])
    #expect(try value("distinct:(list)") as? [Int] == [1, 2, 5])
    #expect(try value("list UNION {9, 1}") as? [Int] == [1, 2, 5, 9])
    #expect(try value("list INTERSECT {2, 1}") as? [Int] == [1, 2])
    #expect(try value("list MINUS {2}") as? [Int] == [1, 5])
    #expect(try value("missing UNION {1}") as? [Int] == [1])
  }

  @Test(arguments: [
    "decimals[0] / (decimals[1] - decimals[1])", "missing + 1", "abs(nil)", "uppercase(missing)",
    "1 / 0",
    "decimals[0] / 0", "modulus:by:(1, 0)",
    "min(empty)", "median(empty)", "stddev(empty)",
    "missing[0]", "CAST(nil, 'NSDate')", "max(nil)",
  ])
  func `A function of a missing value, and a division by zero, return nil`(_ text: String) throws {
    #expect(try value(text) == nil)
  }

  @Test(arguments: [
    ("abs('x')", PredicateEvaluationError.Code.badFunctionCall), ("sum(words)", .badFunctionCall),
    ("uppercase(1)", .badFunctionCall), ("bitwiseAnd:with:(1e30, 1)", .badFunctionCall),
    ("CAST('x', 'NSDate')", .badFunctionCall), ("CAST(1, 'Frob')", .badFunctionCall),
    ("random(0)", .badFunctionCall),
    ("first()", .badFunctionCall), ("list[4]", .indexOutOfRange), ("list[-1]", .indexOutOfRange),
    ("distanceToLocation:fromLocation:(1, 2)", .badFunctionCall),
    ("FUNCTION(text, 'frob:', 1)", .badFunctionCall),
    ("FUNCTION(text, 'frob')", .unknownKey), ("1 UNION 2", .notACollection),
    ("max({1, 'x'})", .incomparable), ("ANYKEY", .badFunctionCall),
    ("text[FIRST]", .notACollection),
    ("$x", .missingVariable), ("map[FIRST]", .badFunctionCall),
  ])
  func `An invalid call is an error`(
    _ text: String, _ code: PredicateEvaluationError.Code
  ) {
    let error = #expect(throws: PredicateEvaluationError.self) { try value(text) }
    #expect(error?.code == code, "\(error?.message ?? "")")
  }

  @Test func `Time and randomness are dependencies and can be replaced`() throws {
    let now = Date(timeIntervalSinceReferenceDate: 150)
    try EvaluationDependencies(now: { now }).runAsCurrent { () throws in
      #expect(try value("now()") as? Date == now)
      #expect(try NSPredicate(parsing: "d < now()").evaluated(with: Self.object))
      #expect(
        try NSPredicate(parsing: "d > CAST(CAST(now(), 'NSNumber') - 60, 'NSDate')").evaluated(
          with: Self.object))
    }
    try EvaluationDependencies(randomBits: { 27 }).runAsCurrent { () throws in
      #expect(try value("random:(10)") as? Int == 7)
      #expect(try value("random()") as? Int == 27)
    }
  }

  @Test func `A type may provide methods to expressions`() throws {
    struct Greeter: SelectorPerforming {
      func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any? {
        guard name == "greet:", let who = arguments.first as? String else {
          throw CocoaError(.featureUnsupported)
        }
        return "Hello, \(who)"
      }
    }
    let expression = NSExpression(
      forFunction: NSExpression(forConstantValue: Greeter()), selectorName: "greet:",
      arguments: ["you"])
    #expect(expression.expressionValue(with: nil, context: nil) as? String == "Hello, you")
    let wrong = NSExpression(
      forFunction: NSExpression(forConstantValue: Greeter()), selectorName: "part", arguments: nil)
    #expect(throws: PredicateEvaluationError.self) { try wrong.evaluated(with: nil) }
  }

  @Test func `Variables come from the context`() throws {
    let context: NSMutableDictionary = ["x": 4]
    #expect(
      NSExpression(format: "$x + 1").expressionValue(with: nil, context: context) as? Int == 5)
  }

  /// The result of each function for arguments of 4.
  ///
  /// A function that takes no numbers fails.
  private static let valuesOfFours: [ExpressionFunction: String] = [
    .average: "4.0", .sum: "4", .count: "1", .min: "4", .max: "4", .median: "4", .mode: "[4]",
    .standardDeviation: "0.0", .distinct: "[4]", .add: "8", .subtract: "0", .multiply: "16",
    .divide: "1",
    .modulus: "0", .power: "256", .squareRoot: "2.0", .logarithm: "0.6020599913279624",
    .naturalLogarithm: "1.3862943611198906", .exponential: "54.598150033144236", .floor: "4",
    .ceiling: "4",
    .absolute: "4", .truncate: "4", .random: "7", .randomBelow: "3", .bitwiseAnd: "4",
    .bitwiseOr: "4",
    .bitwiseXor: "0", .leftShift: "64", .rightShift: "0", .onesComplement: "-5",
    .uppercase: "badFunctionCall",
    .lowercase: "badFunctionCall", .canonical: "badFunctionCall", .length: "badFunctionCall",
    .now: "2001-01-01 00:00:00 +0000", .noIndex: "4", .distance: "badFunctionCall",
    .objectWithIndex: "badFunctionCall", .cast: "badFunctionCall", .first: "badFunctionCall",
    .last: "badFunctionCall", .size: "badFunctionCall",
  ]

  @Test(arguments: ExpressionFunction.allCases)
  func `Every function of the table is evaluated`(function: ExpressionFunction) throws {
    let arguments = Array(repeating: "4", count: function.argumentCount).joined(separator: ", ")
    let dependencies = EvaluationDependencies(
      now: { Date(timeIntervalSinceReferenceDate: 0) }, randomBits: { 7 })
    let found: String
    do {
      let result = try dependencies.runAsCurrent { () throws in
        try value("\(function.name)(\(arguments))")
      }
      found = result.map { "\($0)" } ?? "nil"
    } catch let error as PredicateEvaluationError {
      found = error.code.rawValue
    }
    #expect(found == Self.valuesOfFours[function])
  }
}
