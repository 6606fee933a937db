import ManagedObjects
import Testing

@Suite struct OwnerRunsTests {
  private let owners: ContiguousArray<Int64> = [3, 3, 5, 8, 8, 8]

  @Test func `Owners in list order have their runs of members`() {
    var runs = OwnerRuns(owners)
    #expect([3, 5, 8].map { runs.run(of: $0) } == [0..<2, 2..<3, 3..<6])
  }

  @Test func `Owners in any order, repeated or without members have their runs`() {
    var runs = OwnerRuns(owners)
    #expect(
      [8, 1, 3, 3, 9, 5, 8, 8].map { runs.run(of: $0) } == [
        3..<6, 0..<0, 0..<2, 0..<2, 0..<0, 2..<3, 3..<6, 3..<6,
      ])
  }

  @Test func `An empty list has no members for any owner`() {
    var runs = OwnerRuns([])
    #expect(runs.run(of: 1).isEmpty)
  }
}
