import Simulation
import Testing

@Suite("Coverage of faults") struct FaultCoverageTests {
  private func counts(of operation: String, in coverage: FaultCoverage) -> [String] {
    coverage.lines.filter { $0.hasPrefix("\(operation) ") }
  }

  @Test func `Each pair that can occur has a line, even if it was never reached`() {
    var coverage = FaultCoverage()
    for _ in 0..<2 { coverage.add(.fullDisk, to: .save) }
    #expect(
      counts(of: "save", in: coverage) == ["save crash 0", "save full-disk 2", "save power 0"])
    #expect(!counts(of: "records/query", in: coverage).isEmpty)
  }

  @Test func `Operations of people are listed if a world had people`() {
    var coverage = FaultCoverage()
    coverage.add(.crash, to: .save)
    #expect(counts(of: "end-share", in: coverage) == [])
    coverage.add(.crash, to: .acceptShare)
    #expect(counts(of: "end-share", in: coverage) == ["end-share crash 0", "end-share power 0"])
    #expect(counts(of: "accept-share", in: coverage).first == "accept-share crash 1")
  }
}
