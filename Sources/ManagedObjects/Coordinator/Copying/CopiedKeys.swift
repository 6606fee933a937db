import ObjectRows

/// The keys that copied rows have in the destination store.
///
/// The key of a copied row is the key of its origin plus the offset of a segment. So no table of
/// pairs is necessary, and an interrupted copy finds its rows again. Only origins that are
/// duplicates of stored rows are listed one by one.
package struct CopiedKeys {
  /// A range of the origins' keys, which ends with `last`, and the offset to their copies' keys.
  package struct Segment: Hashable {
    let last: Int64
    let offset: Int64

    package init(last: Int64, offset: Int64) {
      self.last = last
      self.offset = offset
    }
  }

  /// The segments by layout index of the root entity, in ascending order.
  private var segments: [[Segment]]
  /// The keys of the rows to copy, by layout index, in ascending order.
  private(set) var origins: [ContiguousArray<Int64>]
  /// The stored rows that stand for origins, by layout index of the root entity and origin's key.
  private var duplicates: [[Int64: RowKey]]
  private var storedDuplicates: [Set<Int64>]
  private let roots: [Int]

  /// - Parameter roots: The layout index of the root entity, by layout index.
  init(roots: [Int]) {
    self.roots = roots
    segments = Array(repeating: [], count: roots.count)
    origins = Array(repeating: [], count: roots.count)
    duplicates = Array(repeating: [:], count: roots.count)
    storedDuplicates = Array(repeating: [], count: roots.count)
  }

  /// These keys without the list of the rows to copy, which only the copying itself needs.
  var withoutOrigins: CopiedKeys {
    var keys = self
    keys.origins = Array(repeating: [], count: roots.count)
    return keys
  }

  // MARK: Filling

  mutating func setOrigins(_ keys: ContiguousArray<Int64>, of layout: Int) {
    origins[layout] = keys
  }

  /// The segments of a root entity.
  func segments(ofRoot root: Int) -> [Segment] { segments[root] }

  mutating func append(_ segment: Segment, toRoot root: Int) {
    segments[root].append(segment)
  }

  /// The highest origin key that a segment covers; 0 if there is no segment.
  func lastCovered(ofRoot root: Int) -> Int64 { segments[root].last?.last ?? 0 }

  /// Records that a stored row has the unique values of an origin.
  mutating func record(_ stored: RowKey, asDuplicateOf origin: Int64, root: Int) {
    duplicates[root][origin] = stored
    storedDuplicates[root].insert(stored.key)
  }

  var duplicateCount: Int { duplicates.reduce(0) { $0 + $1.count } }

  // MARK: Querying

  /// The stored row that stands for an origin.
  func duplicate(of origin: Int64, root: Int) -> RowKey? { duplicates[root][origin] }

  /// Whether a stored row stands for an origin.
  func isDuplicate(_ key: Int64, root: Int) -> Bool { storedDuplicates[root].contains(key) }

  /// The key of the copy of a row, whether or not the row exists.
  func copiedKey(of origin: Int64, root: Int) -> Int64? {
    guard origin > 0 else { return nil }
    return segments[root].first { origin <= $0.last }.map { origin + $0.offset }
  }

  /// The row that stands for a row of the source; nil if the source has no such row to copy.
  func copy(of origin: RowKey) -> RowKey? {
    guard origins.indices.contains(Int(origin.layoutIndex)),
      origins[Int(origin.layoutIndex)].containsInOrder(origin.key)
    else { return nil }
    return unchecked(origin)
  }

  /// The row that stands for a row of the source, without a check that the source has that row.
  func unchecked(_ origin: RowKey) -> RowKey? {
    let root = roots[Int(origin.layoutIndex)]
    if let stored = duplicates[root][origin.key] { return stored }
    return copiedKey(of: origin.key, root: root).map {
      RowKey(key: $0, layoutIndex: origin.layoutIndex)
    }
  }
}

extension ContiguousArray<Int64> {
  /// Whether an ascending list contains a number.
  fileprivate func containsInOrder(_ number: Int64) -> Bool {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if self[middle] == number { return true }
      range = self[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return false
  }
}
