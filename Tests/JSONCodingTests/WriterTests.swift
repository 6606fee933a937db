import JSONCoding
import TestSupport
import Testing

@Suite struct `The writer` {
  @Test func `Commas separate elements`() {
    #expect(
      written { writer in
        writer.beginObject()
        writer.key("empty")
        writer.beginObject()
        writer.endObject()
        writer.key("list")
        writer.beginArray()
        writer.int64(1)
        writer.beginArray()
        writer.endArray()
        writer.null()
        writer.endArray()
        writer.key(text: "a \"name\"")
        writer.bool(true)
        writer.key("last")
        writer.string("")
        writer.endObject()
      } == #"{"empty":{},"list":[1,[],null],"a \"name\"":true,"last":""}"#)
  }

  @Test(arguments: [
    "", "plain", "a \"name\"\n", "é🎈\u{0}\u{1F}", String(repeating: "long \\ ", count: 100),
  ])
  func `Strings and their UTF-8 bytes are written alike`(text: String) {
    let bytes = Array(text.utf8)
    #expect(
      written { writer in
        writer.beginObject()
        writer.key(utf8: bytes.span)
        writer.string(utf8: bytes.span)
        writer.endObject()
      }
        == written { writer in
          writer.beginObject()
          writer.key(text: text)
          writer.string(text)
          writer.endObject()
        })
  }

  static let integers: [Int64] =
    [
      0, 9, 10, 99, 100, 101, 999, 1000, 9_999, 10_000, 12_345, 99_999, 100_000, 1_790_000_000_123,
      .max, .min,
    ]
    + (0..<63).flatMap { [1 << $0, -1 << $0, (1 << $0) - 1] }

  @Test func `Integers are written as Swift writes them`() {
    for integer in Self.integers {
      #expect(written { $0.int64(integer) } == "\(integer)")
      #expect(written { $0.int64(0 &- integer) } == "\(0 &- integer)")
    }
  }

  static let doubles: [(Double, String)] = [
    (0, "0.0"), (-0.0, "-0.0"), (3, "3.0"), (-3, "-3.0"), (0.1, "0.1"), (1.5, "1.5"),
    (-2.25, "-2.25"),
    (1e15, "1000000000000000.0"),
    (0x1p53 - 1, "9007199254740991.0"), (0x1p53, "9007199254740992.0"), (1e16, "1e+16"),
    (1e300, "1e+300"),
    (.leastNonzeroMagnitude, "5e-324"),
    (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (255_395.92377131394, "255395.92377131394"),
  ]

  @Test(arguments: doubles)
  func `Doubles have their shortest exact form, which readers recognize as a double`(
    value: Double, text: String
  ) {
    #expect(written { $0.double(value) } == text)
  }

  @Test func `Only characters that JSON forbids in strings are escaped`() {
    #expect(written { $0.string("a/b é 日本 😀 \u{2028}\u{7F}") } == "\"a/b é 日本 😀 \u{2028}\u{7F}\"")
    #expect(
      written { $0.string("\"\\\n\r\t\u{8}\u{C}\u{0}\u{1F}") } == #""\"\\\n\r\t\b\f\u0000\u001f""#)
  }

  @Test func `Characters are escaped at every position of a text`() throws {
    for length in 0..<40 {
      for position in 0...length {
        for special in ["\"", "\\", "\u{1}", "\n"] {
          let text =
            String(repeating: "x", count: position) + special
            + String(repeating: "y", count: length - position)
          let document = written { $0.string(text) }
          #expect(try read(document) { reader throws(JSONError) in try reader.string() } == text)
        }
      }
    }
  }

  @Test func `A string that grows sixfold by escaping is written completely`() throws {
    let text = String(repeating: "\u{1}", count: 10_000)
    #expect(
      written { $0.string(text) } == "\"" + String(repeating: "\\u0001", count: 10_000) + "\"")
  }

  @Test func `Existing JSON is inserted unchanged`() {
    let part = Array("{\"a\" : 1}".utf8)
    #expect(
      written { writer in
        writer.beginArray()
        writer.raw(part.span)
        writer.raw(part.span)
        writer.endArray()
      } == "[{\"a\" : 1},{\"a\" : 1}]")
  }

  @Test func `A reused writer keeps nothing of its last document`() {
    var writer = JSONWriter(capacity: 0)
    writer.beginArray()
    writer.string(String(repeating: "a", count: 5000))
    writer.removeAll()
    #expect(writer.count == 0)
    writer.bool(false)
    #expect(writer.array() == Array("false".utf8))
  }

  @Test func `Random values survive writing and reading`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<2_000 {
      let value = JSONValue.random(&random, depth: 5)
      #expect(try JSONValue(value.bytes) == value, "\(random)")
    }
  }
}

@Suite struct `Misuse of the writer` {
  @Test func `A number without a JSON form stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = written { $0.double(.nan) } }
    await #expect(processExitsWith: .failure) { _ = written { $0.double(.infinity) } }
  }

  @Test func `Bad nesting stops debug builds`() async {
    await #expect(processExitsWith: .failure) { _ = written { $0.key("a") } }
    await #expect(processExitsWith: .failure) { _ = written { $0.endArray() } }
    await #expect(processExitsWith: .failure) {
      _ = written { writer in
        writer.beginObject()
        writer.int64(1)
      }
    }
    await #expect(processExitsWith: .failure) {
      _ = written { writer in
        writer.beginArray()
        writer.endObject()
      }
    }
    await #expect(processExitsWith: .failure) {
      _ = written { writer in
        writer.beginObject()
        writer.key("a")
        writer.endObject()
      }
    }
    await #expect(processExitsWith: .failure) {
      _ = written { writer in
        writer.beginObject()
        writer.key("a")
        writer.key("b")
      }
    }
    await #expect(processExitsWith: .failure) {
      _ = written { writer in
        writer.int64(1)
        writer.int64(2)
      }
    }
    await #expect(processExitsWith: .failure) {
      _ = written { writer in
        writer.beginObject()
        writer.key("a\"b")
      }
    }
  }
}

/// The output of a new writer.
func written(_ write: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  write(&writer)
  return String(decoding: writer.array(), as: UTF8.self)
}
