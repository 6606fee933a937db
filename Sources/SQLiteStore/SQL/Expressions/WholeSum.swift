import SQLiteDriver

/// The sum of whole numbers.
///
/// If it overflows 64 bits, it is a floating-point number, as in memory; SQLite's `SUM` fails.
struct WholeSum: AggregateFunction {
  static let name = "ParhelionSum"

  private var whole: Int64?
  /// The sum after an overflow or a floating-point number.
  private var real: Double?

  init() {}

  mutating func add(_ arguments: borrowing FunctionArguments) {
    let storageClass = arguments.storageClass(at: 0)
    guard storageClass != .null else { return }
    if storageClass == .integer, real == nil {
      let (sum, overflows) = (whole ?? 0).addingReportingOverflow(arguments.int64(at: 0))
      if !overflows { return whole = sum }
    }
    real = (real ?? Double(whole ?? 0)) + arguments.double(at: 0)
  }

  func result() -> Value { real.map(Value.real) ?? whole.map(Value.integer) ?? .null }
}
