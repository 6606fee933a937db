import PropertyLists

/// Property lists, binary and XML: values survive writing and reading.
enum PropertyListTarget: FuzzTarget {
  static let name = "property-list"

  static func seeds() throws -> [[UInt8]] {
    let values: [PropertyList] = [
      .boolean(true), .integer(-1), .integer(Int128(UInt64.max)), .float(1.5), .double(-0.5),
      .date(1),
      .data([1, 2, 3]),
      .string("text"), .string("é→"), .uid(7),
    ]
    let nested = PropertyList.dictionary([
      "$top": .dictionary(["root": .uid(1)]), "$objects": .array([.string("$null"), .set(values)]),
      "values": .array(values),
    ])
    return try (values + [nested]).map { try BinaryPropertyList.write($0) }
  }

  static func run(_ bytes: [UInt8]) {
    var limits = PropertyListLimits()
    limits.maximumBytes = 1 << 20
    limits.maximumValues = 1 << 16
    guard let value = try? PropertyList(bytes, limits: limits) else { return }
    guard let written = try? BinaryPropertyList.write(value) else { return }
    guard let again = try? BinaryPropertyList.read(written) else {
      fail("what was written cannot be read")
    }
    // Not-a-number values are never equal, but their bytes must be.
    require(
      again == value || (try? BinaryPropertyList.write(again)) == written,
      "a value changes when written")
  }
}
