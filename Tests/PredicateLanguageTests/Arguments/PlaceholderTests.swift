import Foundation
import PredicateLanguage
import Testing

@Suite("Placeholders")
struct PlaceholderTests {
  private func right(_ predicate: NSPredicate) throws -> Any? {
    try #require(predicate as? NSComparisonPredicate).rightExpression.constantValue
  }

  @Test func `A placeholder for an object accepts any value`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1)
    let uuid = UUID()
    #expect(try right(NSPredicate(format: "a == %@", "x")) as? String == "x")
    #expect(try right(NSPredicate(format: "a == %@", NSNumber(value: 3))) as? Int == 3)
    #expect(try right(NSPredicate(format: "a == %@", date)) as? Date == date)
    #expect(try right(NSPredicate(format: "a == %@", date as NSDate)) as? Date == date)
    #expect(try right(NSPredicate(format: "a == %@", uuid)) as? UUID == uuid)
    #expect(try right(NSPredicate(format: "a == %@", uuid as any CVarArg)) as? UUID == uuid)
    #expect(try right(NSPredicate(format: "a == %@", Data([1]))) as? Data == Data([1]))
    #expect(try right(NSPredicate(format: "a IN %@", [1, 2])) as? [Int] == [1, 2])
    #expect(try right(NSPredicate(format: "a IN %@", Set(["x"]))) as? Set<String> == ["x"])
    #expect(
      try right(NSPredicate(format: "a IN %@", NSSet(array: [1]))) as? NSSet == NSSet(array: [1]))
    #expect(try right(NSPredicate(format: "a == %@", NSNull())) == nil)
    #expect(try right(NSPredicate(format: "a == %@", argumentArray: [NSNull()])) == nil)
  }

  @Test func `C conversions accept numbers`() throws {
    #expect(try right(NSPredicate(format: "a == %d", 3)) as? Int == 3)
    #expect(try right(NSPredicate(format: "a == %i", Int32(-3))) as? Int == -3)
    #expect(try right(NSPredicate(format: "a == %u", UInt32(3))) as? Int == 3)
    #expect(try right(NSPredicate(format: "a == %ld", Int.min)) as? Int == .min)
    #expect(try right(NSPredicate(format: "a == %lld", Int64.max)) as? Int == .max)
    #expect(try right(NSPredicate(format: "a == %llu", UInt64.max)) as? UInt64 == .max)
    #expect(try right(NSPredicate(format: "a == %hd", Int16(7))) as? Int == 7)
    #expect(try right(NSPredicate(format: "a == %zd", 7)) as? Int == 7)
    #expect(try right(NSPredicate(format: "a == %x", 255)) as? Int == 255)
    #expect(try right(NSPredicate(format: "a == %c", CChar(65))) as? Int == 65)
    #expect(try right(NSPredicate(format: "a == %f", 2.5)) as? Double == 2.5)
    #expect(try right(NSPredicate(format: "a == %lf", 2.5)) as? Double == 2.5)
    #expect(try right(NSPredicate(format: "a == %g", Float(0.5))) as? Double == 0.5)
    #expect(try right(NSPredicate(format: "a == %d", true)) as? Int == 1)
    #expect(try right(NSPredicate(format: "a == %s", "text")) as? String == "text")
  }

  @Test(arguments: [
    ("%K == 1", "name == 1"), ("%K.age == 1", "name.age == 1"), ("SELF.%K == 1", "name == 1"),
    ("$x.%K == 1", "$x.name == 1"),
    ("a.%K.b == 1", "a.name.b == 1"), ("ANY %K == 1", "ANY name == 1"),
    ("SUBQUERY(a, $x, $x.%K == 1).@count == 0", "SUBQUERY(a, $x, $x.name == 1).@count == 0"),
    ("%K.@count == 1", "name.@count == 1"), ("'%K' == 1", "\"%K\" == 1"),
    ("@'%K' == 1", "@\"%K\" == 1"),
  ])
  func `A placeholder for a key path is allowed where a key is, but not in quotes`(
    _ format: String, _ printed: String
  ) throws {
    #expect(try NSPredicate(parsing: format, arguments: ["name"]).formatText == printed)
  }

  @Test func `A key path argument may name the object itself or have several keys`() {
    #expect(NSPredicate(format: "%K == 1", "SELF").formatText == "SELF == 1")
    #expect(NSPredicate(format: "%K == 1", "a.b.@count").formatText == "a.b.@count == 1")
    #expect(NSPredicate(format: "%K == 1", "and").formatText == "#and == 1")
  }

  @Test func `Arguments are used in order, also with expressions among them`() {
    let predicate = NSPredicate(
      format: "%K BEGINSWITH[cd] %@ AND %K BETWEEN {%d, %d} AND %@ > 1", "name", "é", "age", 1, 2,
      NSExpression(forKeyPath: "x"))
    #expect(predicate.formatText == "name BEGINSWITH[cd] \"é\" AND age BETWEEN {1, 2} AND x > 1")
  }

  @Test(arguments: [
    ("a == %@", [] as [String], 5, "there is no argument 1 for %@; 0 given"),
    ("a == %@ AND b == %@", ["x"], 17, "there is no argument 2 for %@; 1 given"),
    ("a == %d", ["x"], 5, "argument 1 for %d is a value of type String; it takes a number"),
    ("%K == 1", [""], 0, "the key path “” has an empty key"),
    ("%K == 1", ["a..b"], 0, "the key path “a..b” has an empty key"),
  ])
  func `An argument that is missing or of another type is an error at its placeholder`(
    _ format: String, _ arguments: [String], _ offset: Int, _ message: String
  ) {
    let error = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: format, arguments: arguments)
    }
    #expect(error?.code == .badArgument)
    #expect(error?.offset == offset)
    #expect(error?.message == message)
  }

  @Test func `A key path argument must be text`() {
    let error = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: "%K == 1", arguments: [3])
    }
    #expect(
      error?.message == "argument 1 for %K is a value of type Int; it takes a key path as a String")
  }

  @Test func `Arguments of a va_list are read with the types of the format`() {
    let date = Date(timeIntervalSinceReferenceDate: 1)
    let values: [any CVarArg] = [
      "name", Int32(-1), UInt32(4_000_000_000), Int64.min, UInt64.max, 2.5, Int16(7), "text", date,
      [1, 2],
      NSNumber(value: 5),
    ]
    let format =
      "%K == %d AND a == %u AND a == %lld AND a == %llu AND a == %f AND a == %hd AND a == %@ AND a == %@ AND a IN %@ AND a == %@"
    let predicate = withVaList(values) { NSPredicate(format: format, arguments: $0) }
    #expect(
      predicate.formatText
        == "name == -1 AND a == 4000000000 AND a == -9223372036854775808 AND a == 18446744073709551615 AND a == 2.5 AND a == 7 "
        + "AND a == \"text\" AND a == CAST(1.000000, \"NSDate\") AND a IN {1, 2} AND a == 5")
  }

  @Test func `More floating-point arguments than registers are read in order`() {
    let values = (0..<20).map { Double($0) + 0.5 }
    let format = values.map { _ in "%f" }.joined(separator: ", ")
    let expression = withVaList(values) { NSExpression(format: "{\(format)}", arguments: $0) }
    #expect(expression.expressionValue(with: nil, context: nil) as? [Double] == values)
  }
}
