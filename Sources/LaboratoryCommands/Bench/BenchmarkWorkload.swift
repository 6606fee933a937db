/// A part of a benchmark that can run alone.
package struct BenchmarkWorkload {
  /// The names of its results, in order.
  package let names: [String]
  /// Runs it and returns the measurements.
  package let run: () throws -> [LocalBenchmark.Measured]

  package init(_ names: String..., run: @escaping () throws -> [LocalBenchmark.Measured]) {
    self.names = names
    self.run = run
  }

  init(_ name: String, run: @escaping () throws -> LocalBenchmark.Measured) {
    self.init(name) { [try run()] }
  }
}
