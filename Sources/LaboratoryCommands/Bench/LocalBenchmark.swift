/// The benchmarks of what a store does on its own machine, beside plain C.
package struct LocalBenchmark: Sendable {
  /// How many rows each workload handles.
  package var rows = 100_000
  /// How many times each workload is measured.
  package var rounds = 25

  package init() {}

  /// A result and how far its rounds lay apart.
  package struct Measured: Sendable {
    package let result: BenchmarkResult
    /// The smallest and the largest ratio of a round.
    package let spread: ClosedRange<Double>

    package init(result: BenchmarkResult, spread: ClosedRange<Double>) {
      self.result = result
      self.spread = spread
    }
  }

  /// Driver and reference disagree about what they read, so their times mean nothing.
  package struct Disagreement: Error, CustomStringConvertible {
    package var description: String {
      "The driver and the C reference of the benchmark read different rows."
    }
  }

  /// Its workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [BenchmarkWorkload("sqlite.read", run: read), BenchmarkWorkload("sqlite.insert", run: insert)]
  }

  /// Reading all columns of all rows.
  private func read() throws -> Measured {
    let (driver, reference) = (try LocalDriver(), try LocalReference())
    let contents = LocalRows()
    try fill(driver, contents, reference, LocalReference.Rows(contents))
    let sides = try SideBySide(
      rounds: rounds, ours: { _ = try driver.read() }, reference: { _ = try reference.read() })
    return Measured(
      result: sides.result("sqlite.read", items: rows, limit: 1.1), spread: sides.spread)
  }

  /// Inserting all rows into an empty table.
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

  /// Gives both databases the same rows, and makes sure that both read the same.
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
