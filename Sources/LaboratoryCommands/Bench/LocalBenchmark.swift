/// The benchmarks of the SQLite driver, compared with plain C.
package struct LocalBenchmark: Sendable {
  /// The number of rows that each workload handles.
  package var rows = 100_000
  /// The number of rounds of each workload.
  package var rounds = 25

  package init() {}

  /// A result, and the spread of its rounds.
  package struct Measured: Sendable {
    package let result: BenchmarkResult
    /// The smallest and the largest ratio of a round.
    package let spread: ClosedRange<Double>

    package init(result: BenchmarkResult, spread: ClosedRange<Double>) {
      self.result = result
      self.spread = spread
    }
  }

  /// The error if driver and reference read different rows, so that their times are not comparable.
  package struct Disagreement: Error, CustomStringConvertible {
    package var description: String {
      "Two measured databases do not contain the same rows."
    }
  }

  /// The workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [BenchmarkWorkload("sqlite.read", run: read), BenchmarkWorkload("sqlite.insert", run: insert)]
  }

  /// Reads all columns of all rows.
  private func read() throws -> Measured {
    let (driver, reference) = (try LocalDriver(), try LocalReference())
    let contents = LocalRows()
    try fill(driver, contents, reference, LocalReference.Rows(contents))
    let sides = try SideBySide(
      rounds: rounds, ours: { _ = try driver.read() }, reference: { _ = try reference.read() })
    return Measured(
      result: sides.result("sqlite.read", items: rows, limit: 1.1), spread: sides.spread)
  }

  /// Inserts all rows into an empty table.
  private func insert() throws -> Measured {
    let contents = LocalRows()
    let referenceContents = LocalReference.Rows(contents)
    let (driver, reference) = (try LocalDriver(), try LocalReference())
    let sides = try SideBySide(
      rounds: rounds,
      prepare: {
        try driver.removeAll()
        try reference.removeAll()
      },
      ours: { try driver.insert(rows, of: contents) },
      reference: { try reference.insert(rows, of: referenceContents) })
    return Measured(
      result: sides.result("sqlite.insert", items: rows, limit: 1.15), spread: sides.spread)
  }

  /// Fills both databases with the same rows, and checks that both sides read the same.
  private func fill(
    _ driver: LocalDriver, _ contents: LocalRows, _ reference: LocalReference,
    _ referenceContents: LocalReference.Rows
  ) throws {
    try driver.removeAll()
    try reference.removeAll()
    try driver.insert(rows, of: contents)
    try reference.insert(rows, of: referenceContents)
    guard try driver.read() == reference.read() else { throw Disagreement() }
  }
}
