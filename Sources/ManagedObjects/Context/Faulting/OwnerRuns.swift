/// Where the members of each owner lie in a list that has those of one owner side by side.
///
/// Owners are mostly asked for in the order of the list, and found without a look-up then.
package struct OwnerRuns {
  private let owners: ContiguousArray<Int64>
  /// Where the run begins that comes after the last one that was asked for.
  private var next = 0
  /// Where the run of each owner begins, once one was asked for that does not come next.
  private var starts: [Int64: Int]?

  package init(_ owners: ContiguousArray<Int64>) {
    self.owners = owners
  }

  /// The places of an owner's members.
  package mutating func run(of owner: Int64) -> Range<Int> {
    guard let start = start(of: owner) else { return 0..<0 }
    next = end(ofRunAt: start)
    return start..<next
  }

  private mutating func start(of owner: Int64) -> Int? {
    if next < owners.count, owners[next] == owner { return next }
    if starts == nil { starts = allStarts() }
    return starts?[owner]
  }

  private func allStarts() -> [Int64: Int] {
    var starts: [Int64: Int] = [:]
    var start = 0
    while start < owners.count {
      starts[owners[start]] = start
      start = end(ofRunAt: start)
    }
    return starts
  }

  private func end(ofRunAt start: Int) -> Int {
    var end = start + 1
    while end < owners.count, owners[end] == owners[start] { end += 1 }
    return end
  }
}
