/// The results of one benchmark command, in the form that `--json` prints.
package struct BenchmarkReport: Encodable, Sendable {
  package let results: [BenchmarkResult]

  package init(results: [BenchmarkResult]) { self.results = results }
}
