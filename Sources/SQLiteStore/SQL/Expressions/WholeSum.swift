import SQLiteDriver

/// The sum of numbers that may be whole.
///
/// If whole numbers overflow 64 bits, the sum is a floating-point number, as in a predicate that is
/// evaluated in memory. SQLite's `SUM` would fail.
struct WholeSum: AggregateFunction {
  static let name = "ParhelionSum"

  private var whole: Int64?
  /// The sum after an overflow or a floating-point number.
  private var real: Double?
  /// The rounding error of the floating-point sum, as SQLite's `SUM` computes it.
  private var lost = 0.0

  init() {}

  mutating func add(_ arguments: borrowing FunctionArguments) {
    let storageClass = arguments.storageClass(at: 0)
    guard storageClass != .null else { return }
    if storageClass == .integer, real == nil {
      let (sum, overflows) = (whole ?? 0).addingReportingOverflow(arguments.int64(at: 0))
      if !overflows { return whole = sum }
    }
    add(arguments.double(at: 0), to: real ?? Double(whole ?? 0))
  }

  /// Adds a number with Kahan-Babuška compensation.
  private mutating func add(_ number: Double, to sum: Double) {
    let total = sum + number
    lost += abs(sum) < abs(number) ? (number - total) + sum : (sum - total) + number
    real = total
  }

  func result() -> Value {
    guard let real else { return whole.map(Value.integer) ?? .null }
    let compensated = real + lost
    // The compensation of an infinite sum is not a number.
    return .real(compensated.isNaN ? real : compensated)
  }
}
