import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite struct `Binary property lists` {
  @Test func `A written value is read back equal`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<300 {
      let value = PropertyListSamples.random(&random)
      #expect(try BinaryPropertyList.read(BinaryPropertyList.write(value)) == value, "\(random)")
    }
  }

  @Test func `Writing is deterministic`() throws {
    let keys = (0..<200).map { "key \($0)" }
    let forward = PropertyList.dictionary(
      Dictionary(uniqueKeysWithValues: keys.map { ($0, .string($0)) }))
    let backward = PropertyList.dictionary(
      Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, .string($0)) }))
    #expect(try BinaryPropertyList.write(forward) == BinaryPropertyList.write(backward))
  }

  @Test func `Equal scalars are written once`() throws {
    let once = try BinaryPropertyList.write(.array([.string("a long enough string")]))
    let twice = try BinaryPropertyList.write(
      .array([.string("a long enough string"), .string("a long enough string")]))
    #expect(twice.count == once.count + 1)
  }

  @Test func `Strings that are only canonically equal stay distinct`() throws {
    let value = PropertyList.array([.string("\u{E9}"), .string("e\u{301}")])
    let read = try BinaryPropertyList.read(BinaryPropertyList.write(value))
    #expect(read.array?.compactMap { $0.string?.unicodeScalars.count } == [1, 2])
  }

  @Test(arguments: [
    (Int128(0), 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (4_294_967_296, 8), (-1, 8),
    (Int128(Int64.min), 8), (Int128(Int64.max), 8), (Int128(UInt64.max), 16),
  ])
  func `Integers have the width that Apple's writer uses`(value: Int128, width: Int) throws {
    let bytes = try BinaryPropertyList.write(.integer(value))
    #expect(bytes.count == 8 + 1 + width + 1 + 32)
    #expect(try BinaryPropertyList.read(bytes) == .integer(value))
  }

  @Test func `Foundation reads what we write`() throws {
    let value = PropertyList.dictionary([
      "text": .string("grüße"), "number": .integer(-5), "flag": .boolean(true),
      "data": .data([1, 2, 3]),
      "list": .array([.double(1.5), .date(86_400)]),
    ])
    let data = Data(try BinaryPropertyList.write(value))
    let object = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    let entries = try #require(object as? [String: Any])
    #expect(entries["text"] as? String == "grüße")
    #expect(entries["number"] as? Int == -5)
    #expect(entries["flag"] as? Bool == true)
    #expect(entries["data"] as? Data == Data([1, 2, 3]))
    let list = try #require(entries["list"] as? [Any])
    #expect(list[0] as? Double == 1.5)
    #expect(list[1] as? Date == Date(timeIntervalSinceReferenceDate: 86_400))
  }

  @Test func `We read what Foundation writes`() throws {
    let object: [String: Any] = ["a": ["x", "y"], "b": 300, "c": Data([9]), "d": true, "e": 2.5]
    let data = try PropertyListSerialization.data(
      fromPropertyList: object, format: .binary, options: 0)
    #expect(
      try BinaryPropertyList.read([UInt8](data))
        == .dictionary([
          "a": .array([.string("x"), .string("y")]), "b": .integer(300), "c": .data([9]),
          "d": .boolean(true),
          "e": .double(2.5),
        ]))
  }

  @Test func `A value that nests too deeply is not written`() {
    let value = (0..<200).reduce(PropertyList.null) { inner, _ in .array([inner]) }
    let error = #expect(throws: PropertyListError.self) { try BinaryPropertyList.write(value) }
    #expect(error?.code == .limit)
  }

  @Test func `A value that exceeds a limit of the reader is not written`() throws {
    let object = PropertyList.dictionary(["key": .array([.string("one"), .string("one")])])
    let value = PropertyList.array(Array(repeating: object, count: 10))
    let bytes = try BinaryPropertyList.write(value)
    var limits = PropertyListLimits()
    // A dictionary counts as two values, and equal scalars count at each use.
    limits.maximumValues = 1 + 10 * 6
    limits.maximumBytes = bytes.count
    #expect(try BinaryPropertyList.write(value, limits: limits) == bytes)
    #expect(try BinaryPropertyList.read(bytes, limits: limits) == value)
    for limit in [\PropertyListLimits.maximumValues, \PropertyListLimits.maximumBytes] {
      var small = limits
      small[keyPath: limit] -= 1
      #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(bytes, limits: small) }
      let error = #expect(throws: PropertyListError.self) {
        try BinaryPropertyList.write(value, limits: small)
      }
      #expect(error?.code == .limit)
    }
  }
}
