import ManagedObjects
import Testing

@Suite struct OwnerRunsTests {
  private let owners: ContiguousArray<Int64> = [3, 3, 5, 8, 8, 8]

  @Test func `Owners in the order of the list have their runs`() {
    var runs = OwnerRuns(owners)
    #expect([3, 5, 8].map { runs.run(of: $0) } == [0..<2, 2..<3, 3..<6])
  }

  @Test func `Owners in any order, again, or without members have theirs`() {
    var runs = OwnerRuns(owners)
    #expect(
      [8, 1, 3, 3, 9, 5, 8, 8].map { runs.run(of: $0) } == [
        3..<6, 0..<0, 0..<2, 0..<2, 0..<0, 2..<3, 3..<6, 3..<6,
      ])
  }

  @Test func `Nobody has members in an empty list`() {
    var runs = OwnerRuns([])
    #expect(runs.run(of: 1).isEmpty)
  }
}
