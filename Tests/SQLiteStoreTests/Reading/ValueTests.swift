import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite struct `Attribute values` {
  /// The value of an attribute after a save, and its storage class and literal in SQLite.
  private func roundTrip(_ name: String, _ value: Any) throws -> (value: Any?, stored: String) {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1, [name: value]).saveAll()
      let rows = try sample.store.rows(withKeys: [1], layout: sample["Everything"])
      let ordinal = try #require(sample["Everything"].ordinal(of: name))
      let column = sample.store.schema.entity(sample["Everything"])?.columns[ordinal]?.name ?? ""
      let stored =
        column.isEmpty
        ? nil : try sample.outsider().value("SELECT quote(\(column)) FROM ZEVERYTHING")
      guard case .text(let text)? = stored else { return (nil, "") }
      return (sample["Everything"].value(ofAttribute: ordinal, in: rows.rows[0].row), text)
    }
  }

  @Test(
    arguments: [
      ("bool", true), ("bool", false), ("int16", Int16.min), ("int16", Int16.max),
      ("int32", Int32.min),
      ("int32", Int32.max), ("int64", Int64.min), ("int64", Int64.max), ("int64", 0),
      ("float", Float.greatestFiniteMagnitude), ("float", Float(0.1)),
      ("double", Double.greatestFiniteMagnitude),
      ("double", -0.0), ("double", Double.leastNonzeroMagnitude), ("double", Double.infinity),
      ("double", 0.1),
    ] as [(String, any Sendable)])
  func `Numbers are read back exactly`(name: String, value: any Sendable) throws {
    let result = try roundTrip(name, value)
    let number = try #require(value as? NSNumber)
    #expect(result.value as? NSNumber == number)
    let isReal = ["float", "double"].contains(name)
    #expect(result.stored.contains { ".I".contains($0) } == isReal)
    if isReal {
      #expect(number.doubleValue.isInfinite || Double(result.stored) == number.doubleValue)
    } else {
      #expect(Int64(result.stored) == number.int64Value)
    }
  }

  @Test func `NaN becomes nil`() throws {
    #expect(try roundTrip("double", Double.nan).value == nil)
  }

  @Test(arguments: [
    "", "a", "ab", "fifteen bytes..", "sixteen bytes...", "Zürich \u{1F1E8}\u{1F1ED} e\u{301}",
    "a\u{0}b",
    String(repeating: "long ", count: 300_000), "quote ' and \" and ;",
  ])
  func `Texts are read back exactly`(text: String) throws {
    let value = try roundTrip("string", text).value as? String
    #expect(value.map { Array($0.utf8) } == Array(text.utf8))
  }

  @Test func `Dates, UUIDs and URIs are read back exactly`() throws {
    for seconds in [0, -63_113_904_000.25, 1e9 + 0.123456789, 1e-6] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      #expect(try roundTrip("date", date).value as? Date == date)
    }
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let stored = try roundTrip("uuid", uuid)
    #expect(stored.value as? UUID == uuid)
    #expect(stored.stored == "X'00112233445566778899AABBCCDDEEFF'")
    let url = try #require(URL(string: "https://example.org/a%20b?q=1#f"))
    let text = try roundTrip("url", url)
    #expect(text.value as? URL == url)
    #expect(text.stored == "'https://example.org/a%20b?q=1#f'")
  }

  @Test(arguments: [
    ("10.11", "10.11"), ("5", "5"), ("-0.5", "-0.5"), ("123456789.125", "123456789.125"),
    ("0", "0"),
    ("9223372036854775807", "9223372036854775807"), ("0.000001", "1.0e-06"), ("1e30", "1.0e+30"),
  ])
  func `Decimals keep their digits`(text: String, stored: String) throws {
    let decimal = try #require(Decimal(string: text))
    let result = try roundTrip("decimal", NSDecimalNumber(decimal: decimal))
    #expect((result.value as? NSDecimalNumber)?.decimalValue == decimal)
    #expect(result.stored == stored)
  }

  @Test func `Bytes are read back exactly`() throws {
    for bytes in [Data(), Data([0]), Data([1, 2, 3]), Data(repeating: 7, count: 70_000)] {
      #expect(try roundTrip("data", bytes).value as? Data == bytes)
      #expect((try roundTrip("photo", BinaryValue(bytes)).value as? BinaryValue)?.data == bytes)
      #expect((try roundTrip("colour", EncodedValue(bytes)).value as? EncodedValue)?.data == bytes)
      #expect((try roundTrip("drawing", EncodedValue(bytes)).value as? EncodedValue)?.data == bytes)
    }
    #expect(try roundTrip("photo", BinaryValue(Data([9]))).stored == "X'0109'")
    #expect(try roundTrip("colour", EncodedValue(Data([9]))).stored == "X'09'")
  }

  @Test func `Composites are read back without nil elements`() throws {
    let sample = try SampleStore(SampleModels.types())
    func saved(_ key: Int64, _ value: [String: Any]) throws -> NSDictionary? {
      try Changes(sample).insert("Everything", key, ["place": DecodedValue(value)]).saveAll()
      let rows = try sample.store.rows(withKeys: [key], layout: sample["Everything"])
      let ordinal = try #require(sample["Everything"].ordinal(of: "place"))
      let box = sample["Everything"].value(ofAttribute: ordinal, in: rows.rows[0].row)
      return ((box as? DecodedValue)?.value as? [String: Any]).map { $0 as NSDictionary }
    }
    let whole: [String: Any] = ["name": "Here", "point": ["x": 1.5, "y": 2] as [String: Any]]
    #expect(try saved(1, whole) == whole as NSDictionary)
    #expect(try saved(2, ["point": ["y": 7]]) == ["point": ["y": 7]] as NSDictionary)
    #expect(try saved(3, ["unknown": 1, "point": [String: Any]()]) == nil)
  }

  @Test func `A nil value is NULL`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try Changes(sample).insert("Everything", 1).saveAll()
      #expect(try sample.rows("Everything", 1) == ["Everything 1 v1"])
      let columns = try sample.outsider().rows("SELECT * FROM ZEVERYTHING")[0]
      #expect(columns.dropFirst(3).allSatisfy { $0 == .null })
    }
  }

  @Test func `An unexpected storage class is read if it has a meaning`() throws {
    try withTemporaryDirectory { folder in
      let sample = try SampleStore(SampleModels.types(), in: folder)
      try sample.outsider().execute(
        """
        INSERT INTO ZEVERYTHING(Z_PK, Z_ENT, Z_OPT, ZBOOL, ZINT16, ZDATE, ZUUID, ZDECIMAL, ZSTRING, ZURL, ZDATA, ZPHOTO)
        VALUES (1, 1, NULL, 'yes', 70000, '12.5', '00112233-4455-6677-8899-AABBCCDDEEFF', 'many', 12, X'2F61', 'text', 'x');
        INSERT INTO ZEVERYTHING(Z_PK, Z_ENT, ZUUID, ZINT32, ZSTRING) VALUES (2, 1, X'00', 'x', X'FF41');
        INSERT INTO ZEVERYTHING(Z_PK, Z_ENT) VALUES (3, NULL), (4, 99), (5, -1);
        """)
      #expect(
        try sample.rows("Everything", 1, 2, 3, 4, 5).map {
          $0.replacingOccurrences(of: "\u{FFFD}", with: "?")
        }.map {
          $0.replacing(/photo=\S+/, with: "photo=…")
        } == [
          "Everything 1 v0 bool=0 data=4 bytes date=2001-01-01 00:00:12 +0000 int16=4464 photo=… string=12 "
            + "url=/a uuid=00112233-4455-6677-8899-AABBCCDDEEFF",
          "Everything 2 v0 int32=0 string=?A",
        ])
    }
  }
}
