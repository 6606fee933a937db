import BinaryCoding

/// A set of mostly consecutive numbers, in a bounded number of ranges.
///
/// If there are too many ranges, the lowest one is merged into the unknown range. Which numbers of
/// the unknown range were inserted is no longer known.
struct NumberRanges: Hashable, Sendable {
  /// The inserted numbers as ascending ranges, separated by at least one missing number.
  private var ranges: [ClosedRange<UInt64>] = []
  /// The range that covers the ranges that did not fit; nil if all ranges fit.
  private var unknownRange: ClosedRange<UInt64>?

  /// Whether a number was inserted; nil if unknown.
  func contains(_ number: UInt64) -> Bool? {
    if ranges.contains(where: { $0.contains(number) }) { return true }
    return unknownRange?.contains(number) == true ? nil : false
  }

  mutating func insert(_ number: UInt64, atMost limit: Int) {
    guard contains(number) == false else { return }
    let place = ranges.firstIndex { number < $0.lowerBound } ?? ranges.endIndex
    var (range, replaced) = (number...number, place..<place)
    if place < ranges.endIndex, ranges[place].lowerBound - 1 == number {
      (range, replaced) = (number...ranges[place].upperBound, place..<place + 1)
    }
    if place > 0, ranges[place - 1].upperBound == number - 1 {
      (range, replaced) = (
        ranges[place - 1].lowerBound...range.upperBound, place - 1..<replaced.upperBound
      )
    }
    ranges.replaceSubrange(replaced, with: [range])
    if ranges.count > limit { forgetLowest() }
  }

  private mutating func forgetLowest() {
    let lowest = ranges.removeFirst()
    let former = unknownRange ?? lowest
    unknownRange =
      min(former.lowerBound, lowest.lowerBound)...max(former.upperBound, lowest.upperBound)
  }

  /// Removes the numbers before a given one.
  mutating func remove(before number: UInt64) {
    ranges = ranges.compactMap { Self.part(of: $0, from: number) }
    unknownRange = unknownRange.flatMap { Self.part(of: $0, from: number) }
  }

  private static func part(of range: ClosedRange<UInt64>, from number: UInt64) -> ClosedRange<
    UInt64
  >? {
    range.upperBound < number ? nil : max(range.lowerBound, number)...range.upperBound
  }

  // MARK: Encoding

  func write(to form: inout BinaryWriter) {
    form.optional(unknownRange) { Self.write($1, to: &$0) }
    form.count(ranges.count)
    for range in ranges { Self.write(range, to: &form) }
  }

  private static func write(_ range: ClosedRange<UInt64>, to form: inout BinaryWriter) {
    form.number(range.lowerBound)
    form.number(range.upperBound - range.lowerBound)
  }

  init() {}

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    unknownRange = try form.optional { (form) throws(BinaryCodingError) in
      try Self.range(from: &form)
    }
    try readRanges(from: &form)
  }

  private mutating func readRanges(from form: inout BinaryReader) throws(BinaryCodingError) {
    for _ in 0..<(try form.count()) {
      let range = try Self.range(from: &form)
      guard ranges.last.map({ $0.upperBound < range.lowerBound }) ?? true else {
        throw form.error("ranges of numbers that are not in their order")
      }
      ranges.append(range)
    }
  }

  private static func range(from form: inout BinaryReader) throws(BinaryCodingError) -> ClosedRange<
    UInt64
  > {
    let lower = try form.number()
    let (upper, isTooLong) = lower.addingReportingOverflow(try form.number())
    guard !isTooLong else { throw form.error("a range of numbers that has no end") }
    return lower...upper
  }
}
