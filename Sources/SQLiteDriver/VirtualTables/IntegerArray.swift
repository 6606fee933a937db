/// Integers that SQL reads as a table with one column, `value`, without being part of the SQL text.
///
/// ```swift
/// let keys = try connection.integerArray(0)
/// keys.values = [3, 5, 8]
/// var statement = try connection.prepare("SELECT … WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray0)")
/// ```
///
/// The statement stays in the cache whatever the values are. A statement reads the values that the
/// array has when it starts to read the table.
package final class IntegerArray {
  /// The name of the table in SQL.
  package let name: String

  /// The rows, in this order.
  ///
  /// Duplicates are separate rows.
  package var values: [Int64] = [] {
    didSet { order = nil }
  }

  /// Positions sorted by value, computed when a plan first looks values up.
  private var order: [Int]?

  init(name: String) { self.name = name }
}

extension IntegerArray: VirtualTable {
  package var declaration: String { "CREATE TABLE x(value INTEGER)" }

  private enum Strategy {
    static let scan: Int32 = 0
    static let lookUp: Int32 = 1
  }

  package func plan(_ query: inout VirtualTableQuery) {
    // A statement is planned once and used with many lists of values, so the plan must not rely on
    // an empty or tiny list.
    let assumedRows = Double(max(values.count, Self.fewestAssumedRows))
    let equality = query.constraints.firstIndex {
      $0.isUsable && $0.column == 0 && $0.comparison == .equal
    }
    if let equality {
      query.constraints[equality].argument = 1
      query.strategy = Strategy.lookUp
      query.estimatedCost = assumedRows.logarithm
      query.estimatedRows = 1
    } else {
      query.strategy = Strategy.scan
      query.estimatedCost = assumedRows
      query.estimatedRows = Int64(assumedRows)
    }
  }

  private static var fewestAssumedRows: Int { 16 }

  package func makeCursor() -> any VirtualTableCursor { Cursor(self) }

  /// The positions whose value is `wanted`.
  private func positions(of wanted: Int64) -> [Int] {
    let order = order ?? values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    self.order = order
    var low = 0
    var high = order.count
    while low < high {
      let middle = low + (high - low) / 2
      if values[order[middle]] < wanted { low = middle + 1 } else { high = middle }
    }
    return Array(order[low...].prefix { values[$0] == wanted })
  }
}

extension IntegerArray {
  fileprivate final class Cursor: VirtualTableCursor {
    private let array: IntegerArray
    private var values: [Int64] = []
    /// The positions to read; nil for all of them.
    private var positions: [Int]?
    private var index = 0

    init(_ array: IntegerArray) { self.array = array }

    func begin(strategy: Int32, _ arguments: borrowing FunctionArguments) {
      values = array.values
      positions = strategy == Strategy.lookUp ? array.positions(of: arguments.int64(at: 0)) : nil
      index = 0
    }

    private var position: Int { positions?[index] ?? index }
    var isAtEnd: Bool { index >= (positions?.count ?? values.count) }
    func advance() { index += 1 }
    func column(_ index: Int) -> Value { .integer(values[position]) }
    var rowID: Int64 { Int64(position) }
  }
}

extension Double {
  /// The steps of a binary search, at least one.
  fileprivate var logarithm: Double { Swift.max(1, Double(exponent) + 1) }
}

extension Connection {
  /// The integer array with this number, such as `_Z_intarray0`; created at its first use.
  package func integerArray(_ number: Int) throws(SQLiteError) -> IntegerArray {
    if let array = integerArrays[number] { return array }
    guard (0..<Limits.integerArrays).contains(number) else {
      throw SQLiteError(
        code: .outOfRange,
        message: "there are \(Limits.integerArrays) integer arrays, and \(number) is none of them",
        context: .init(path: location.description))
    }
    let array = IntegerArray(name: "_Z_intarray\(number)")
    try register(table: array, named: array.name)
    integerArrays[number] = array
    return array
  }
}
