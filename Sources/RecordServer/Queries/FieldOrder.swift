import CloudRecords

/// The order of values of one type, as queries compare and sort them.
enum FieldOrder {
  /// Compares two values: negative, zero or positive; nil if their types have no common order.
  static func compare(_ one: FieldValue, _ other: FieldValue) -> Int? {
    switch (one, other) {
    case (.string(let one), .string(let other)): compare(one.utf8.span, other.utf8.span)
    case (.int64(let one), .int64(let other)): sign(one, other)
    case (.double(let one), .double(let other)): sign(one, other)
    case (.int64(let one), .double(let other)): compare(one, other)
    case (.double(let one), .int64(let other)): compare(other, one).map { -$0 }
    case (.timestamp(let one), .timestamp(let other)): sign(one, other)
    case (.bytes(let one), .bytes(let other)): compare(one.span, other.span)
    case (.reference(let one), .reference(let other)):
      compare(one.recordName.utf8.span, other.recordName.utf8.span)
    default: nil
    }
  }

  /// Whether queries consider two values equal: locations by coordinates, lists by members.
  static func areEqual(_ one: FieldValue, _ other: FieldValue) -> Bool {
    switch (one, other) {
    case (.location(let one), .location(let other)):
      (one.latitude, one.longitude) == (other.latitude, other.longitude)
    case (.asset(let one), .asset(let other)): one.fileChecksum == other.fileChecksum
    case (.list(_, let one), .list(_, let other)):
      one.count == other.count && zip(one, other).allSatisfy { areEqual($0, $1) }
    default: compare(one, other) == 0
    }
  }

  private static func sign<Value: Comparable>(_ one: Value, _ other: Value) -> Int? {
    one < other ? -1 : one == other ? 0 : one > other ? 1 : nil
  }

  /// Compares exactly, since large integers are rounded as doubles.
  private static func compare(_ whole: Int64, _ fraction: Double) -> Int? {
    guard let below = Int64(exactly: fraction.rounded(.down)) else {
      return fraction.isNaN ? nil : fraction > 0 ? -1 : 1
    }
    if whole != below { return whole < below ? -1 : 1 }
    return fraction > Double(below) ? -1 : 0
  }

  /// Compares bytes.
  ///
  /// In UTF-8 this is the order of the Unicode scalars.
  private static func compare(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Int {
    let shared = min(one.count, other.count)
    for index in 0..<shared where one[index] != other[index] {
      return one[index] < other[index] ? -1 : 1
    }
    return one.count < other.count ? -1 : one.count == other.count ? 0 : 1
  }

  /// The distance of two locations in metres, on a sphere with the earth's mean radius.
  static func distance(_ one: LocationValue, _ other: LocationValue) -> Double {
    let degree = Double.pi / 180
    let latitudes = (other.latitude - one.latitude) * degree / 2
    let longitudes = (other.longitude - one.longitude) * degree / 2
    let (vertical, horizontal) = (Trigonometry.of(latitudes), Trigonometry.of(longitudes))
    let chord =
      vertical * vertical
      + Trigonometry.cosine(of: one.latitude * degree)
      * Trigonometry.cosine(of: other.latitude * degree) * horizontal
      * horizontal
    return 2 * earthRadius * Trigonometry.arc(of: min(1, chord.squareRoot()))
  }

  /// An upper bound of the degrees on a great circle for a distance.
  static func degrees(metres: Double) -> Double {
    // The margin covers rounding errors.
    metres / earthRadius * 180 / .pi * (1 + 1e-9) + 1e-9
  }

  private static let earthRadius = 6_371_008.8
}
