import BinaryCoding
import TestSupport
import Testing

struct FormTests {
  /// A value of each kind, at its limits.
  private static let numbers: [UInt64] = [0, 1, 127, 128, 300, 1 << 62, 1 << 63, .max]
  private static let signed: [Int64] = [0, -1, 1, -64, 64, .min, .max]
  private static let doubles = [
    0, -0.0, 1.5, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
  ]
  private static let texts = ["", "a", "Ærøskøbing", "👩‍👩‍👧‍👦", String(repeating: "x", count: 300)]

  private func written() -> [UInt8] {
    var form = BinaryWriter()
    for number in Self.numbers { form.number(number) }
    for number in Self.signed { form.signed(number) }
    for number in Self.doubles { form.double(number) }
    for text in Self.texts { form.text(text) }
    form.data([1, 2, 3])
    form.fixed([4, 5])
    form.optional(String?.none) { $0.text($1) }
    form.optional("there") { $0.text($1) }
    form.count(2)
    form.text("one")
    form.text("two")
    return form.bytes
  }

  private func read(_ bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    for number in Self.numbers { #expect(try form.number() == number) }
    for number in Self.signed { #expect(try form.signed() == number) }
    for number in Self.doubles { #expect(try form.double().bitPattern == number.bitPattern) }
    for text in Self.texts { #expect(try form.text() == text) }
    #expect(try form.data() == [1, 2, 3])
    #expect(try form.fixed(2) == [4, 5])
    let missing = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    let there = try form.optional { (form) throws(BinaryCodingError) in try form.text() }
    #expect(missing == nil && there == "there")
    #expect(
      try form.list { (form) throws(BinaryCodingError) in try form.text() } == ["one", "two"])
    #expect(form.consumed == bytes)
    try form.requireEnd()
  }

  @Test func `A written value is read back`() throws { try read(written()) }

  @Test func `A truncated encoding is damaged`() {
    let bytes = written()
    for count in 0..<bytes.count {
      #expect(throws: BinaryCodingError.self) { try skim(Array(bytes[..<count])) }
    }
    #expect(throws: BinaryCodingError.self) { try skim(bytes + [0]) }
  }

  /// Reads a document and ignores its values.
  private func skim(_ bytes: [UInt8]) throws {
    var form = BinaryReader(bytes)
    for _ in Self.numbers { _ = try form.number() }
    for _ in Self.signed { _ = try form.signed() }
    for _ in Self.doubles { _ = try form.double() }
    for _ in Self.texts { try form.skipText() }
    _ = try form.data()
    _ = try form.fixed(2)
    for _ in 0..<2 { _ = try form.optional { (form) throws(BinaryCodingError) in try form.text() } }
    _ = try form.list { (form) throws(BinaryCodingError) in try form.text() }
    try form.requireEnd()
  }

  /// A value has only one encoding, since signatures cover the bytes.
  private static let damaged: [(bytes: [UInt8], reason: String)] = [
    ([0x80, 0x00], "a number has more bytes than it needs"),
    ([0xFF, 0x00], "a number has more bytes than it needs"),
    ([UInt8](repeating: 0xFF, count: 9) + [0x02], "a number is too long"),
    ([UInt8](repeating: 0xFF, count: 10), "a number is too long"),
    ([0x80], "the data ends too early"),
  ]

  @Test(arguments: damaged) func `A number has one encoding`(bytes: [UInt8], reason: String) {
    let error = #expect(throws: BinaryCodingError.self) {
      var form = BinaryReader(bytes)
      _ = try form.number()
    }
    #expect(error?.reason == reason)
  }

  @Test func `A text is UTF-8, a length fits the encoding, and a flag is 0 or 1`() {
    for bytes in [[2, 0xC3, 0x28], [3, 0x61], [0xFF, 0xFF, 0x03], [UInt8]()] as [[UInt8]] {
      #expect(throws: BinaryCodingError.self) {
        var form = BinaryReader(bytes)
        _ = try form.text()
      }
    }
    #expect(throws: BinaryCodingError.self) {
      var form = BinaryReader([2, 0])
      _ = try form.optional { (form) throws(BinaryCodingError) in try form.byte() }
    }
  }

  @Test func `A known text is reused, and another one is read`() throws {
    var writer = BinaryWriter()
    for text in ["Note", "Note", "Not", "Nota", ""] { writer.text(text) }
    var form = BinaryReader(writer.bytes)
    for text in ["Note", "Note", "Not", "Nota", ""] {
      #expect(try form.text(likely: "Note") == text)
    }
    try form.requireEnd()
  }

  @Test func `Random bytes are read or rejected, never past their end`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      var form = BinaryReader(bytes)
      while !form.isAtEnd {
        let before = form.offset
        do throws(BinaryCodingError) {
          switch Int.random(in: 0..<5, using: &generator) {
          case 0: _ = try form.number()
          case 1: _ = try form.text()
          case 2: _ = try form.double()
          case 3: try form.withData { _ in }
          default: _ = try form.data()
          }
        } catch {
          break
        }
        #expect(form.offset > before && form.offset <= bytes.count, "\(generator)")
      }
    }
  }
}
