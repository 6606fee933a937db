import Foundation
import PredicateLanguage
import Testing

@Suite("Literals")
struct LiteralTests {
  private func constant(_ text: String) throws -> Any? {
    try NSExpression(parsing: text).constantValue
  }

  @Test(arguments: [
    ("0", 0), ("12", 12), ("-12", -12), ("0x1F", 31), ("0X1f", 31), ("0b11", 3), ("0o17", 15),
    ("- 5", -5), ("--5", 5),
    ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
  ])
  func `An integer is an Int`(_ text: String, _ number: Int) throws {
    #expect(try constant(text) as? Int == number)
  }

  @Test(arguments: [
    ("1.5", 1.5), (".5", 0.5), ("1e3", 1000), ("1.5E-2", 0.015), ("-2.5", -2.5), ("1e+2", 100),
    ("99999999999999999999", 1e20), ("0xFFFFFFFFFFFFFFFFF", 295_147_905_179_352_825_856),
  ])
  func `A number with a point or an exponent, or beyond 64 bits, is a Double`(
    _ text: String, _ number: Double
  ) throws {
    #expect(try constant(text) as? Double == number)
  }

  @Test func `An integer beyond Int is unsigned`() throws {
    #expect(try constant("18446744073709551615") as? UInt64 == .max)
  }

  @Test(arguments: [
    ("'a'", "a"), ("\"it's\"", "it's"), ("'say \"x\"'", "say \"x\""), (#"'a\'b'"#, "a'b"),
    (#""\n\t\r""#, "\n\t\r"),
    (#""\\""#, "\\"), (#""\u00e9""#, "é"), (#""\ud83d\ude42""#, "🙂"), (#""\U0001F642""#, "🙂"),
    (#""\x41""#, "A"),
    (#""\101""#, "A"), (#""\0""#, "\0"), (#""\d+\.""#, #"\d+\."#), ("'%@ %K'", "%@ %K"), ("''", ""),
  ])
  func `A string decodes its escapes and keeps other backslashes`(
    _ text: String, _ value: String
  ) throws {
    #expect(try constant(text) as? String == value)
  }

  @Test(arguments: [("TRUE", true), ("yes", true), ("False", false), ("NO", false)])
  func `A truth value is a Bool`(_ text: String, _ value: Bool) throws {
    #expect(try constant(text) as? Bool == value)
  }

  @Test(arguments: ["nil", "NULL", "Null", "NIL"])
  func `A null literal is a constant nil`(_ text: String) throws {
    #expect(try constant(text) == nil)
  }

  @Test(arguments: [
    ("'abc", 0), ("0x", 0), ("0b2", 0), ("1e5x", 0), ("12abc", 0), (#"'\u12'"#, 1),
    (#"'\ud83d'"#, 1),
    (#"'\ud83dx'"#, 1),
    (#"'\UFFFFFFFF'"#, 1), (#"'\ud83d\ue000'"#, 1), (#"'\ud83d\ud83d'"#, 1),
    (#"'\ude42\ud83d'"#, 1), (#"'\x+1'"#, 1),
    (#"'\u+123'"#, 1),
    (#"'\U+0001F64'"#, 1), (#"'\x4'"#, 1), ("0o8", 0), ("1.5x", 0),
    (#"'a\"#, 2), ("$", 1), ("#", 1), ("@", 1), ("%.2f", 0), ("%y", 0), ("a ~ b", 2),
    ("1 + ?", 4),
  ])
  func `A malformed token is an error at its place`(_ text: String, _ offset: Int) {
    let error = #expect(throws: PredicateParseError.self) { try NSExpression(parsing: text) }
    #expect(error?.code == .malformedToken)
    #expect(error?.offset == offset)
  }
}
