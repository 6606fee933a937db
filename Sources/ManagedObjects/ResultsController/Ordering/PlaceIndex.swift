/// Finds the place of a key in a list, without a table of places.
///
/// Each entry has a label, and the labels ascend along the list. A search finds the label of a key,
/// then its place by binary search. An insertion takes a label between those of its neighbours, so
/// no other entry changes.
struct PlaceIndex<Key: Hashable> {
  private var labels: [UInt64] = []
  private var labelsByKey: [Key: UInt64] = [:]

  init() {}

  /// Creates an index of keys in the order of the list.
  ///
  /// - Precondition: The keys differ.
  init(_ keys: some Collection<Key>) {
    labels.reserveCapacity(keys.count)
    labelsByKey.reserveCapacity(keys.count)
    let step = UInt64.max / UInt64(keys.count + 1)
    for (place, key) in keys.enumerated() {
      let label = step * UInt64(place + 1)
      labels.append(label)
      labelsByKey[key] = label
    }
  }

  var count: Int { labels.count }

  /// The place of a key, or nil if the list does not contain it.
  func place(of key: Key) -> Int? {
    guard let label = labelsByKey[key] else { return nil }
    return labels.firstIndexAscending { $0 >= label }
  }

  func contains(_ key: Key) -> Bool { labelsByKey[key] != nil }

  mutating func remove(_ key: Key, at place: Int) {
    labels.remove(at: place)
    labelsByKey[key] = nil
  }

  /// Inserts a key, and returns false if there is no label left between its neighbours.
  ///
  /// The caller then creates the index again.
  mutating func insert(_ key: Key, at place: Int) -> Bool {
    let lower = place == 0 ? 0 : labels[place - 1]
    let upper = place == labels.count ? UInt64.max : labels[place]
    let label = lower + (upper - lower) / 2
    guard label > lower, label < upper else { return false }
    labels.insert(label, at: place)
    labelsByKey[key] = label
    return true
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index whose element satisfies a condition that holds from there to the end.
  func firstIndexAscending(where condition: (Element) -> Bool) -> Int {
    (startIndex..<endIndex).partitionPoint { condition(self[$0]) }
  }
}

extension Range<Int> {
  /// The first number that satisfies a condition that holds from there to the end.
  func partitionPoint(where condition: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
