import Foundation
import PredicateLanguage
import Testing

@Suite("Comparisons in memory")
struct ComparisonTests {
  /// An object with a value of every kind.
  static var object: [String: Any] {
    [
      "int": 5, "big": Int(9_007_199_254_740_993), "unsigned": UInt64.max, "double": 2.5,
      "float": Float(0.5),
      "yes": true,
      "number": NSNumber(value: 5.0), "decimal": Decimal(string: "0.1") ?? 0,
      "object": NSDecimalNumber(string: "0.1"),
      "text": "Émile", "folded": "emile", "split": "E\u{301}mile", "nsstring": NSString("Émile"),
      "date": Date(timeIntervalSinceReferenceDate: 10),
      "nsdate": NSDate(timeIntervalSinceReferenceDate: 10),
      "uuid": UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID(),
      "data": Data([1, 2]),
      "url": URL(string: "https://example.org/a?b=c") ?? URL(fileURLWithPath: "/"),
      "null": NSNull(),
      "list": [1, 2, 3], "words": NSArray(array: ["a", "B"]), "set": Set([1, 2]),
      "ordered": NSOrderedSet(array: [3, 4]),
      "empty": [Int](), "holes": [1, nil, 3] as [Int?], "map": ["k": 1],
    ]
  }

  @Test(arguments: [
    "int == 5", "int == 5.0", "5 == number", "number == 5", "yes == 1", "yes == TRUE", "int != 6",
    "int > 4.9",
    "int >= 5", "int < 5.1",
    "double == 2.5", "float == 0.5", "unsigned > 9223372036854775807",
    "unsigned == 18446744073709551615",
    "big > 9007199254740992.0", "big != 9007199254740992.0", "9007199254740993 == big",
    "decimal == 0.1",
    "object == 0.1", "decimal == object",
    "decimal < 0.11", "decimal + 0.2 == 0.3", "text == 'Émile'", "text == nsstring",
    "text != 'émile'",
    "text ==[c] 'émile'",
    "text ==[cd] folded", "text != split", "text ==[d] split", "text > 'A'", "folded < 'f'",
    "folded <[c] 'F'",
    "text <[cd] 'F'", "date == nsdate",
    "date > CAST(9, 'NSDate')", "date <= nsdate",
    "uuid == CAST('00000000-0000-4000-8000-000000000001', 'NSUUID')",
    "data == CAST('AQI=', 'NSData')", "url == CAST('https://example.org/a?b=c', 'NSURL')",
    "list == {1, 2, 3}",
    "list != {1, 3, 2}",
    "text != 5", "int != 'x'", "int BETWEEN {5, 6}", "int BETWEEN {1, 5}", "NOT int BETWEEN {6, 7}",
    "date BETWEEN {nsdate, nsdate}",
    "'b' BETWEEN {'a', 'c'}",
  ])
  func `Values of one kind are compared by value`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object))
  }

  @Test(arguments: [
    "text BEGINSWITH 'Ém'", "text BEGINSWITH[cd] 'EM'", "NOT text BEGINSWITH 'em'",
    "text ENDSWITH 'le'",
    "text ENDSWITH[c] 'LE'", "text CONTAINS 'mi'",
    "text CONTAINS[cd] 'EMI'", "'mi' IN text", "NOT 'x' IN text", "text LIKE 'É*'",
    "text LIKE[cd] 'e?il*'",
    "NOT text LIKE 'mil'", "text LIKE 'Émile'",
    "text MATCHES '.*mi.*'", "NOT text MATCHES 'mi'", "text MATCHES[c] 'ÉMILE'",
    "'a1' MATCHES '[a-z]\\d'",
    "'2*' LIKE '2\\*'",
    "NOT text CONTAINS ''", "nsstring ENDSWITH 'ile'",
    "'one two three' TOKENMATCHES[cd] 'Three ONE'",
    "NOT 'x2 y' TOKENMATCHES 'x3'", "'x2, y' TOKENMATCHES 'y x2'", "NOT 'One' TOKENMATCHES 'one'",
    "NOT 'one two' TOKENMATCHES 'three'",
  ])
  func `Texts are searched with their options`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object))
  }

  @Test(arguments: [
    "url == 'https://example.org/a?b=c'", "'https://example.org/a?b=c' == url", "url != 'x'",
    "url ==[c] 'HTTPS://EXAMPLE.ORG/A?B=C'", "url BEGINSWITH 'https'", "url ENDSWITH[c] 'B=C'",
    "url CONTAINS[c] 'EXAMPLE'", "'example' IN url", "url LIKE '*/a*'", "url MATCHES 'https:.*'",
    "url IN {'x', 'https://example.org/a?b=c'}", "NOT url IN {'x', 'https://example.org'}",
    "url IN[c] {'HTTPS://EXAMPLE.ORG/A?B=C'}",
    "'https://example.org/a?b=c' IN {CAST('https://example.org/a?b=c', 'NSURL')}",
    "url < 'https://example.org/b'", "url <= url", "NOT url < url", "'z' >[c] url",
    "url BETWEEN {'a', 'z'}",
  ])
  func `A URL is compared as its text`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object))
  }

  @Test func `A text is in a list of URLs if it is the text of one`() throws {
    let urls = [URL(string: "https://example.org/a") as Any]
    for (text, isFound) in [("https://example.org/a", true), ("https://example.org", false)] {
      let predicate = try NSPredicate(parsing: "text IN %@", arguments: [urls])
      #expect(try predicate.evaluated(with: ["text": text]) == isFound)
    }
  }

  @Test(arguments: [
    "int IN {1, 5}", "int IN {5.0}", "NOT int IN {1}", "text IN {'x', 'Émile'}",
    "text IN[cd] {'x', 'emile'}",
    "NOT text IN {'emile'}", "1 IN list",
    "list CONTAINS 2", "NOT list CONTAINS 4", "set CONTAINS 2", "words CONTAINS 'a'",
    "NOT words CONTAINS 'b'",
    "words CONTAINS[c] 'b'",
    "ordered CONTAINS 4", "map CONTAINS 1", "date IN {nsdate}", "NOT int IN {}",
    "holes CONTAINS nil",
    "NOT list CONTAINS nil", "NOT int IN null",
  ])
  func `Membership works in every kind of collection`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object))
  }

  /// A constant list is searched by its elements' hashes, or compared if they have none.
  @Test(arguments: [
    "int", "double", "yes", "decimal", "text", "date", "uuid", "data", "url", "null", "missing",
    "list", "set", "empty",
  ])
  func `A value of every kind is found in a list of constants, and only there`(_ key: String) throws
  {
    let value = Self.object[key] ?? NSNull()
    let others: [Any] =
      Self.object.filter { $0.key != key && Self.isOther($0.key, than: key) }.map(\.value)
      + Self.more
    let predicate = try NSPredicate(parsing: "%K IN %@", arguments: [key, [value] + others])
    #expect(try predicate.evaluated(with: Self.object))
    let without = try NSPredicate(parsing: "%K IN %@", arguments: [key, others])
    #expect(try !without.evaluated(with: Self.object))
  }

  /// Another value of each kind.
  private static var more: [Any] {
    [
      77, 7.25, Decimal(string: "0.7") ?? 0, "other", Date(timeIntervalSinceReferenceDate: 99),
      UUID(), Data([1, 3]),
      URL(string: "https://example.org/other") as Any, [1, 2, 4], Set([1, 9]),
    ]
  }

  /// Whether the values of two keys differ.
  private static func isOther(_ key: String, than other: String) -> Bool {
    let alike: [Set<String>] = [
      ["int", "number"], ["decimal", "object"], ["text", "nsstring"], ["date", "nsdate"],
      ["null", "missing"],
    ]
    return !alike.contains { $0.contains(key) && $0.contains(other) }
  }

  @Test(arguments: [
    "date IN {10}", "date IN {9, 10.0}", "10 IN {date}", "NOT date IN {11}", "NOT int IN {date}",
  ])
  func `A date is in a list of numbers if it equals one of them`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).evaluated(with: Self.object))
  }

  @Test func `A number is in a list of dates if it equals the seconds of one of them`() throws {
    let dates = [Date(timeIntervalSinceReferenceDate: 5), Date(timeIntervalSinceReferenceDate: 7)]
    #expect(try NSPredicate(parsing: "int IN %@", arguments: [dates]).evaluated(with: Self.object))
    #expect(
      try !NSPredicate(parsing: "double IN %@", arguments: [dates]).evaluated(with: Self.object))
  }

  @Test func `IN and BETWEEN accept Swift ranges`() throws {
    func holds(_ range: Any) throws -> Bool {
      try NSPredicate(parsing: "int IN %@ AND int BETWEEN %@", arguments: [range, range]).evaluated(
        with: Self.object)
    }
    #expect(try holds(1...5))
    #expect(try holds(5..<6))
    #expect(try !holds(1..<5))
    #expect(try holds(4.5...5.5))
    #expect(try holds(IndexSet([5])))
    let dates = Date(timeIntervalSinceReferenceDate: 9)...Date(timeIntervalSinceReferenceDate: 11)
    #expect(try NSPredicate(parsing: "date IN %@", arguments: [dates]).evaluated(with: Self.object))
  }

  @Test(arguments: [
    ("==", true), ("!=", false), ("<", false), ("<=", false), (">", false), (">=", false),
    ("BEGINSWITH", false),
    ("ENDSWITH", false), ("CONTAINS", false), ("LIKE", false), ("MATCHES", false), ("IN", false),
    ("BETWEEN", false),
  ])
  func `Two missing values are equal, and no other comparison of them holds`(
    _ operation: String, _ holds: Bool
  ) throws {
    #expect(try NSPredicate(parsing: "null \(operation) nil").evaluated(with: Self.object) == holds)
    #expect(
      try NSPredicate(parsing: "missing \(operation) null").evaluated(with: Self.object) == holds)
  }

  @Test(arguments: [
    ("==", false), ("!=", true), ("<", false), (">=", false), ("BEGINSWITH", false),
    ("LIKE", false),
    ("MATCHES", false),
    ("CONTAINS", false), ("ENDSWITH", false),
  ])
  func `A value differs from a missing one, and is neither greater nor less`(
    _ operation: String, _ holds: Bool
  ) throws {
    #expect(try NSPredicate(parsing: "null \(operation) 'x'").evaluated(with: Self.object) == holds)
    #expect(try NSPredicate(parsing: "text \(operation) nil").evaluated(with: Self.object) == holds)
  }

  @Test(arguments: [
    "text > 5", "int < 'x'", "date >= 'x'", "data < data", "list > 1", "url > 5",
    "int BEGINSWITH 'x'", "text LIKE 5",
    "date MATCHES 'x'", "int CONTAINS 5",
    "5 IN int", "int BETWEEN {1}", "int BETWEEN {1, 6, 9}", "int BETWEEN 5",
    "int BETWEEN {'a', 'b'}",
    "text CONTAINS 5",
  ])
  func `Values that cannot be compared are an error`(_ text: String) {
    let error = #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: text).evaluated(with: Self.object)
    }
    #expect(error?.code == .incomparable, "\(error?.message ?? "")")
  }

  @Test func `An invalid regular expression is an error`() {
    let error = #expect(throws: PredicateEvaluationError.self) {
      try NSPredicate(parsing: "text MATCHES '('").evaluated(with: Self.object)
    }
    #expect(error?.code == .badPattern)
  }

  @Test func `Values that cannot be compared stop the program`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSPredicate(format: "name > 5").evaluate(with: ["name": "x"])
    }
    #expect(
      text(result).contains(
        "> cannot compare a value of type String with a value of type Int."))
  }

  @Test func `NaN is neither equal to nor less than any value`() throws {
    let object = ["x": Double.nan]
    for text in ["x == x", "x < 1", "x > 1", "x IN {x}", "x >= x"] {
      #expect(try !NSPredicate(parsing: text).evaluated(with: object), "\(text)")
    }
    #expect(try NSPredicate(parsing: "x != x").evaluated(with: object))
  }

  @Test func `Objects of other classes define their equality`() throws {
    final class Thing: NSObject {}
    let thing = Thing()
    let object: [String: Any] = ["thing": thing, "things": [thing, Thing()]]
    #expect(
      try NSPredicate(parsing: "thing == %@ AND %@ IN things", arguments: [thing, thing]).evaluated(
        with: object))
    #expect(try !NSPredicate(parsing: "thing == %@", arguments: [Thing()]).evaluated(with: object))
  }
}
