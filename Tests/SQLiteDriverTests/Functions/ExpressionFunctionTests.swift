import Foundation
import SQLiteDriver
import Testing

@Suite struct `Expression functions in SQL` {
  private let connection: Connection

  init() throws {
    connection = try Connection(.memory)
    try connection.registerTextFunctions(locale: Locale(identifier: "en_US"))
    try connection.registerNumberFunctions()
  }

  private func value(_ call: String) throws -> Value? { try connection.value("SELECT \(call)") }

  @Test(
    arguments: [
      ("ParhelionLength('a😀é')", .integer(4)), ("ParhelionLength('')", .integer(0)),
      ("ParhelionFold('ÄbC', 0)", .text("ÄbC")), ("ParhelionFold('ÄbC', 1)", .text("äbc")),
      ("ParhelionFold('ÄbC', 2)", .text("AbC")), ("ParhelionFold('ÄbC', 3)", .text("abc")),
      ("ParhelionFold('ÄbC', 7)", .text("ÄbC")), ("ParhelionTextOrder('a', 'b', 0)", .integer(-1)),
      ("ParhelionTextOrder('b', 'A', 1)", .integer(1)),
      ("ParhelionTextOrder('Ä', 'a', 3)", .integer(0)),
      ("ParhelionTextOrder('Z', 'ä', 8)", .integer(1)),
      ("ParhelionTextOrder('Z', 'ä', 0)", .integer(-1)),
    ] as [(String, Value)])
  func `Text functions give the expected values`(call: String, expected: Value) throws {
    #expect(try value(call) == expected)
  }

  @Test(
    arguments: [
      ("ParhelionModulus(7, 3)", .integer(1)), ("ParhelionModulus(-7, 3)", .integer(-1)),
      ("ParhelionModulus(7.5, 2)", .real(1.5)), ("ParhelionModulus(7, 0)", .null),
      ("ParhelionModulus(-9223372036854775807 - 1, -1)", .integer(0)),
      ("ParhelionPower(2, 10)", .integer(1024)),
      ("ParhelionPower(2, -1)", .real(0.5)), ("ParhelionPower(10, 19)", .real(1e19)),
      ("ParhelionPower(2.0, 2)", .real(4)), ("ParhelionSquareRoot(9)", .real(3)),
      ("ParhelionSquareRoot(-1)", .null),
      ("ParhelionLogarithm(1000)", .real(3)), ("ParhelionNaturalLogarithm(1)", .real(0)),
      ("ParhelionExponential(0)", .real(1)), ("ParhelionFloor(-1.5)", .real(-2)),
      ("ParhelionCeiling(-1.5)", .real(-1)),
      ("ParhelionTruncate(-1.5)", .real(-1)), ("ParhelionFloor(3)", .integer(3)),
      ("ParhelionAbsolute(-3)", .integer(3)),
      ("ParhelionAbsolute(-1.5)", .real(1.5)),
      ("ParhelionAbsolute(-9223372036854775807 - 1)", .real(9_223_372_036_854_775_808)),
    ] as [(String, Value)])
  func `Number functions give the expected values`(call: String, expected: Value) throws {
    #expect(try value(call) == expected)
  }

  @Test func `Functions of NULL give NULL`() throws {
    let unary = [
      "Length", "SquareRoot", "Logarithm", "NaturalLogarithm", "Exponential", "Floor", "Ceiling",
      "Truncate",
      "Absolute",
    ]
    for name in unary { #expect(try value("Parhelion\(name)(NULL)") == .null) }
    for name in ["Modulus", "Power"] {
      #expect(try value("Parhelion\(name)(NULL, 1)") == .null)
      #expect(try value("Parhelion\(name)(1, NULL)") == .null)
    }
    #expect(try value("ParhelionFold(NULL, 1)") == .null)
    #expect(try value("ParhelionTextOrder(NULL, 'a', 0)") == .null)
    #expect(try value("ParhelionTextOrder('a', NULL, 0)") == .null)
  }
}
