/// A part of a benchmark that can run alone.
package struct BenchmarkWorkload {
  /// The names of the results, in the order in which `run` returns them.
  package let names: [String]
  /// Runs the workload and returns the measurements.
  package let run: () throws -> [LocalBenchmark.Measured]

  package init(_ names: String..., run: @escaping () throws -> [LocalBenchmark.Measured]) {
    self.names = names
    self.run = run
  }

  init(_ name: String, run: @escaping () throws -> LocalBenchmark.Measured) {
    self.init(name) { [try run()] }
  }
}
