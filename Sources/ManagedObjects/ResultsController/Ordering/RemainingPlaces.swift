/// The places of a list that remain after some are removed, numbered from 0.
///
/// Nothing is copied: finding a number takes one search among the removed places.
struct RemainingPlaces {
  /// The removed places, ascending.
  let removed: [Int]
  /// The number of places before the removal.
  let total: Int

  func isRemoved(_ place: Int) -> Bool {
    let index = removed.firstIndexAscending { $0 >= place }
    return index < removed.count && removed[index] == place
  }

  var count: Int { total - removed.count }

  /// The number of remaining places before a place.
  func rank(of place: Int) -> Int { place - removed.firstIndexAscending { $0 >= place } }

  /// The remaining place with a number.
  func place(ofRank rank: Int) -> Int {
    rank + removed.indices.partitionPoint { removed[$0] - $0 > rank }
  }
}
