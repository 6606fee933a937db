import BinaryForms

/// Numbers that mostly follow each other, in few ranges.
///
/// There are never more ranges than fit a client's row: with one more, the two lowest become one, and the numbers between them are in it.
struct NumberRanges: Hashable, Sendable {
  /// In their order; between two of them at least one number is missing.
  private(set) var ranges: [ClosedRange<UInt64>] = []

  func contains(_ number: UInt64) -> Bool { ranges.contains { $0.contains(number) } }

  mutating func insert(_ number: UInt64, atMost limit: Int) {
    guard !contains(number) else { return }
    let place = ranges.firstIndex { number < $0.lowerBound } ?? ranges.endIndex
    var (range, replaced) = (number...number, place..<place)
    if place < ranges.endIndex, ranges[place].lowerBound - 1 == number {
      (range, replaced) = (number...ranges[place].upperBound, place..<place + 1)
    }
    if place > 0, ranges[place - 1].upperBound == number - 1 {
      (range, replaced) = (ranges[place - 1].lowerBound...range.upperBound, place - 1..<replaced.upperBound)
    }
    ranges.replaceSubrange(replaced, with: [range])
    if ranges.count > limit { ranges.replaceSubrange(0..<2, with: [ranges[0].lowerBound...ranges[1].upperBound]) }
  }

  /// Leaves out what lies before a number.
  mutating func remove(before number: UInt64) {
    ranges = ranges.filter { $0.upperBound >= number }.map { max($0.lowerBound, number)...$0.upperBound }
  }

  // MARK: Form

  func write(to form: inout FormWriter) {
    form.count(ranges.count)
    for range in ranges {
      form.number(range.lowerBound)
      form.number(range.upperBound - range.lowerBound)
    }
  }

  init() {}

  init(from form: inout FormReader) throws(FormDamage) {
    for _ in 0..<(try form.count()) {
      let lower = try form.number()
      let (upper, isTooLong) = lower.addingReportingOverflow(try form.number())
      guard !isTooLong, ranges.last.map({ $0.upperBound < lower }) ?? true else {
        throw form.damage("ranges of numbers that are not in their order")
      }
      ranges.append(lower...upper)
    }
  }
}
