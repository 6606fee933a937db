extension PersistentTree.Node {
  /// Visits the entries of a range in ascending order.
  ///
  /// - Returns: Whether the visitor wants more entries and the range may contain more.
  func visitAscending(
    _ range: StorageRange, _ visit: (StorageEntry) throws -> VisitContinuation
  ) rethrows -> Bool {
    for place in place(of: range.lower)...entries.count {
      if !isLeaf, try !children[place].visitAscending(range, visit) { return false }
      guard place < entries.count else { break }
      if let upper = range.upper, entries[place].key >= upper { return false }
      guard try visit(entries[place]) == .proceed else { return false }
    }
    return true
  }

  func visitDescending(
    _ range: StorageRange, _ visit: (StorageEntry) throws -> VisitContinuation
  ) rethrows -> Bool {
    let end = range.upper.map(place(of:)) ?? entries.count
    for place in stride(from: end, through: 0, by: -1) {
      if !isLeaf, try !children[place].visitDescending(range, visit) { return false }
      guard place > 0 else { break }
      if entries[place - 1].key < range.lower { return false }
      guard try visit(entries[place - 1]) == .proceed else { return false }
    }
    return true
  }
}
