/// The range of each owner's members in a list that is grouped by owner.
///
/// Owners are mostly requested in the order of the list, which needs no lookup.
package struct OwnerRuns {
  private let owners: ContiguousArray<Int64>
  /// The start of the run after the one requested last.
  private var next = 0
  /// The start of each owner's run.
  ///
  /// It is built when owners are first requested out of order.
  private var starts: [Int64: Int]?

  package init(_ owners: ContiguousArray<Int64>) {
    self.owners = owners
  }

  /// The range of an owner's members.
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
