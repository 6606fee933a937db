import Foundation
import PredicateLanguage
import TestSupport
import Testing

@Suite("Number")
struct NumberTests {
  @Test func `Numbers of every type are compared exactly`() throws {
    let ascending: [Any] = [
      -Double.infinity, -1e300, Int.min, -1.5, Int8(-1), -0.5, 0, UInt8(1),
      Decimal(string: "1.1") ?? 0, 1.25,
      NSNumber(value: 2),
      9_007_199_254_740_992.0, Int(9_007_199_254_740_993), Int.max, 9_223_372_036_854_775_808.0,
      UInt64.max,
      18_446_744_073_709_551_616.0, 1e300, Double.infinity,
    ]
    let numbers = try ascending.map { try #require(Number($0)) }
    for (left, one) in numbers.enumerated() {
      for (right, other) in numbers.enumerated() {
        let expected: ComparisonResult =
          left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        #expect(one.compare(other) == expected, "\(one) and \(other)")
      }
    }
  }

  @Test func `The order of random numbers agrees with their exact values`() {
    var generator = SeededGenerator.forTest()
    for _ in 0..<5_000 {
      let whole = Int(
        truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator))
      let fraction =
        Double(whole) + [-1, -0.5, 0, 0.5, 1].randomElement(using: &generator).unsafelyUnwrapped
      let result = Number.integer(whole).compare(.double(fraction))
      #expect(result == exactOrder(whole, fraction), "\(whole) \(fraction) \(generator)")
      #expect(
        Number.double(fraction).compare(.integer(whole)) == result?.reversed,
        "\(whole) \(fraction) \(generator)")
    }
  }

  /// The exact order of an integer and a double between -2^63 and 2^63.
  private func exactOrder(_ whole: Int, _ fraction: Double) -> ComparisonResult {
    let floor = fraction.rounded(.down)
    guard let bound = Int(exactly: floor) else { return .orderedAscending }
    if whole != bound { return whole < bound ? .orderedAscending : .orderedDescending }
    return floor < fraction ? .orderedAscending : .orderedSame
  }

  @Test func `Equal numbers have the same hash`() throws {
    let same: [[Any]] = [
      [1, 1.0, true, NSNumber(value: 1), Decimal(1), Float(1), Int8(1)],
      [0.1, Decimal(string: "0.1") ?? 0],
      [UInt64.max, NSNumber(value: UInt64.max)],
    ]
    for values in same {
      let numbers = try values.map { try #require(Number($0)) }
      #expect(Set(numbers).count == 1, "\(values)")
    }
  }

  @Test(arguments: ["x", "1"])
  func `A text is not a number`(_ text: String) {
    #expect(Number(text) == nil)
    #expect(Number(text as NSString) == nil)
    #expect(Number([1]) == nil)
    #expect(Number(Date()) == nil)
  }
}
