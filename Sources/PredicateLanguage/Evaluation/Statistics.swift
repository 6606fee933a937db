import Foundation

/// Aggregates over the numbers of a collection, without its nulls.
///
/// A date counts as its seconds since 2001, as in a store.
struct Statistics {
  let numbers: [Number]

  init(_ values: [Any?], for name: String) throws(PredicateEvaluationError) {
    var numbers: [Number] = []
    for case let value? in values {
      guard let number = Number(value) ?? Self.seconds(of: value) else {
        throw PredicateEvaluationError(
          .badFunctionCall, "“\(name)” needs numbers; there is a value of type \(type(of: value)).")
      }
      numbers.append(number)
    }
    self.numbers = numbers
  }

  private static func seconds(of value: Any) -> Number? {
    guard case .date(let date) = Value(value) else { return nil }
    return .double(date.timeIntervalSinceReferenceDate)
  }

  var sum: Number { numbers.reduce(.integer(0), +) }

  /// The average: a decimal if the sum is one, otherwise a double.
  var average: Number? {
    guard !numbers.isEmpty else { return nil }
    if case .decimal(let sum) = sum { return .decimal(sum / Decimal(numbers.count)) }
    return .double(sum.double / Double(numbers.count))
  }

  /// The middle number, or the average of the middle two.
  var median: Number? {
    guard !numbers.isEmpty else { return nil }
    let sorted = sorted
    let middle = sorted.count / 2
    guard sorted.count.isMultiple(of: 2) else { return sorted[middle] }
    return (sorted[middle - 1] + sorted[middle]).divided(by: .double(2))
  }

  /// The most frequent numbers, in ascending order.
  var modes: [Number] {
    var counts: [Number: Int] = [:]
    for number in numbers { counts[number, default: 0] += 1 }
    let most = counts.values.max()
    return sorted(counts.filter { $0.value == most }.map(\.key))
  }

  /// The standard deviation of the whole population.
  var standardDeviation: Double? {
    guard let average = average?.double else { return nil }
    let squares = numbers.reduce(0) { $0 + ($1.double - average) * ($1.double - average) }
    return (squares / Double(numbers.count)).squareRoot()
  }

  private var sorted: [Number] { sorted(numbers) }

  private func sorted(_ numbers: [Number]) -> [Number] {
    numbers.sorted { $0.compare($1) == .orderedAscending }
  }
}
