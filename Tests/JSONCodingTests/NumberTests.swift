import JSONCoding
import TestSupport
import Testing

@Suite struct `Numbers` {
  static let integers: [(text: String, value: Int64)] = [
    ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("9223372036854775807", .max),
    ("-9223372036854775808", .min),
    ("1.0", 1),
    ("-1.000", -1), ("1e0", 1), ("1e3", 1000), ("1E+3", 1000), ("1200e-2", 12), ("-1200e-2", -12),
    ("1.5e1", 15),
    ("0.001e3", 1), ("9.223372036854775807e18", .max), ("-9.223372036854775808e18", .min),
    ("922337203685477580.7e1", .max),
    ("92233720368547758070e-1", .max), ("0e999999999999", 0), ("0.0e-999999999999", 0), ("-0.0", 0),
    ("1" + String(repeating: "0", count: 300) + "e-300", 1),
    ("0." + String(repeating: "0", count: 300) + "1e301", 1),
    ("12345678901234567890e-1", 1_234_567_890_123_456_789),
    ("1000000000000000000.00", 1_000_000_000_000_000_000),
    ("253370764800000", 253_370_764_800_000), ("10e-1", 1), ("4611686018427387904", 1 << 62),
  ]

  @Test(arguments: integers) func `An integer is read by its value`(
    text: String, value: Int64
  ) throws {
    #expect(try read(text) { reader throws(JSONError) in try reader.int64() } == value)
    #expect(
      try read("\"\(text)\"") { reader throws(JSONError) in try reader.int64OrText() } == value)
    #expect(try read(text) { reader throws(JSONError) in try reader.int64OrText() } == value)
  }

  static let noIntegers: [(text: String, code: JSONError.Code)] = [
    ("0.5", .notIntegral), ("-1.5", .notIntegral), ("1e-1", .notIntegral), ("1e-400", .notIntegral),
    ("1.0000000000000000000000001", .notIntegral),
    ("1000000000000000000.00000000000000000001", .notIntegral),
    ("123456789012345678901e-5", .notIntegral), ("1e-99999999999999999999", .notIntegral),
    ("15e-1", .notIntegral),
    ("9223372036854775808", .outOfRange), ("-9223372036854775809", .outOfRange),
    ("1e19", .outOfRange),
    ("10000000000000000000", .outOfRange), ("-1e400", .outOfRange),
    ("1e99999999999999999999", .outOfRange),
    ("99999999999999999999999", .outOfRange), ("12345678901234567890123e1", .outOfRange),
    ("9.3e18", .outOfRange),
    // These exponents would be 1 and -1 if they wrapped at 64 bits.
    ("1e18446744073709551617", .outOfRange), ("1e-18446744073709551617", .notIntegral),
    ("\"1\"", .wrongKind), ("true", .wrongKind), ("null", .wrongKind), ("[1]", .wrongKind),
    ("x", .syntax),
    ("", .truncated),
  ]

  @Test(arguments: noIntegers)
  func `A value that is not a 64-bit integer is an error with its reason`(
    text: String, code: JSONError.Code
  ) {
    let error = #expect(throws: JSONError.self) {
      try read(text) { reader throws(JSONError) in try reader.int64() }
    }
    #expect(error?.code == code)
  }

  @Test(arguments: [
    "", " 1", "1 ", "+1", "01", "1.", "0x1", "1e", "\\u0031", "NaN", "abc",
  ])
  func `A string that is not a number is an invalid value`(text: String) {
    let integer = #expect(throws: JSONError.self) {
      try read("\"\(text)\"") { reader throws(JSONError) in try reader.int64OrText() }
    }
    #expect(integer?.code == .invalidValue && integer?.offset == 0)
    let double = #expect(throws: JSONError.self) {
      try read("\"\(text)\"") { reader throws(JSONError) in try reader.doubleOrText() }
    }
    #expect(double?.code == .invalidValue && double?.offset == 0)
  }

  @Test func `A boolean is neither a number nor a text`() {
    let error = #expect(throws: JSONError.self) {
      try read("true") { reader throws(JSONError) in try reader.int64OrText() }
    }
    #expect(error?.code == .wrongKind)
  }

  @Test(arguments: [("01", 0), ("[01]", 1), ("[-00.5]", 2)])
  func `A leading zero is reported at its byte`(document: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try JSONValue(Array(document.utf8)) }
    #expect(error?.code == .syntax)
    #expect(error?.offset == offset)
    #expect(error?.message == "a number has a leading zero")
  }

  @Test func `A number's kind follows its spelling`() throws {
    let document = "[3, 3.0, 3e0, -0, -0.0]"
    #expect(
      try JSONValue(Array(document.utf8))
        == .array([.integer(3), .double(3), .double(3), .integer(0), .double(-0.0)]))
  }

  @Test func `A double in a string is read on request`() throws {
    #expect(
      try read("\"-2.5e3\"") { reader throws(JSONError) in try reader.doubleOrText() } == -2500)
    #expect(throws: JSONError.self) {
      try read("\"2.5\"") { reader throws(JSONError) in try reader.double() }
    }
  }
}

@Suite struct `Doubles` {
  static let hard: [String] = [
    "0", "-0", "0.1", "0.3", "1e22", "1e23", "1e-22", "1e-23", "9007199254740993",
    "9007199254740993.0",
    "9007199254740992.9999999999",
    "9007199254740995", "8.5e22", "8.41e21", "123456789012345678e-28", "1.7976931348623157e308",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308", "4.9406564584124654e-324", "2.4703282292062328e-324",
    "2.4703282292062327e-324",
    "6.02214076e23",
    "0.500000000000000166533453693773481063544750213623046875", "3.518437208883201171875e13",
    "62.5364939768271845828",
    "8.10109172351e-10", "1.50000000000000011102230246251565",
    "5708990770823839524233143877797980545530986496.0",
    "18446744073709551615", "18446744073709551616", "9999999999999999999", "9999999999999999999e27",
    "9999999999999999999e-27",
    "1e27", "1e28", "1e-27", "1e-28", "9223372036854775807.5", "255395.92377131394", "0.000001",
    "1e-7",
    "1.0000000000000002",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126", "7450580596923828125e-27",
    "4503599627370497.5",
    // A product of 128 bits just above the middle of two doubles.
    "639001436199108130e20",
  ]

  @Test(arguments: hard) func `The nearest double is found in hard cases`(text: String)
    throws
  {
    let expected = try #require(Double(text))
    let found = try read(text) { reader throws(JSONError) in try reader.double() }
    #expect(found.bitPattern == expected.bitPattern)
    let negative = try read("-\(text.drop { $0 == "-" })") { reader throws(JSONError) in
      try reader.double()
    }
    #expect(negative.bitPattern == (-expected.magnitude).bitPattern)
  }

  @Test func `An exponent of more than 64 bits does not wrap`() throws {
    let tooLarge = #expect(throws: JSONError.self) {
      try read("1e18446744073709551617") { reader throws(JSONError) in try reader.double() }
    }
    #expect(tooLarge?.code == .outOfRange)
    #expect(
      try read("1e-18446744073709551617") { reader throws(JSONError) in try reader.double() } == 0)
  }

  @Test func `Any double survives writing and reading`() throws {
    var random = SeededGenerator.forTest()
    var writer = JSONWriter()
    for _ in 0..<20_000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      writer.removeAll()
      writer.double(double)
      let found = try JSONReader.read(writer.bytes) { reader throws(JSONError) in
        try reader.double()
      }
      #expect(found.bitPattern == double.bitPattern, "\(random)")
    }
  }

  @Test func `A number of up to 25 digits is read as the standard library reads it`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<20_000 {
      let text = randomNumber(&random)
      let expected = try #require(Double(text))
      let found = try read(text) { reader throws(JSONError) in try reader.double() }
      #expect(found.bitPattern == expected.bitPattern, "\(text) \(random)")
    }
  }

  /// Wrong rounding shows at numbers halfway between two doubles and next to them.
  @Test func `Numbers halfway between two doubles round to even`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<5_000 {
      let odd = UInt64.random(in: 1 << 53..<1 << 54, using: &random) | 1
      for text in ["\(odd)", "\(odd).0", "\(odd).000001", "\(odd - 1).999999"] {
        let expected = try #require(Double(text))
        let found = try read(text) { reader throws(JSONError) in try reader.double() }
        #expect(found.bitPattern == expected.bitPattern, "\(text) \(random)")
      }
    }
  }

  private func randomNumber(_ random: inout SeededGenerator) -> String {
    func digits(_ range: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: range, using: &random)).map { _ in
          "0123456789".randomElement(using: &random) ?? "0"
        })
    }
    var text = Bool.random(using: &random) ? "-" : ""
    text += "\(Int.random(in: 0...9, using: &random))"
    if !text.hasSuffix("0") { text += digits(0...15) }
    if Bool.random(using: &random) { text += ".\(digits(1...9))" }
    if Bool.random(using: &random) { text += "e\(Int.random(in: -40...40, using: &random))" }
    return text
  }
}

/// Reads a document from a text.
func read<Value>(
  _ document: String, _ decode: (inout JSONReader) throws(JSONError) -> Value
) throws(JSONError) -> Value {
  try JSONReader.read(Array(document.utf8), decode)
}
