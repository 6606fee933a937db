/// The places of the rows of one root entity, by key.
///
/// This is a hash table with open addressing, for speed: every fetched row is added to it.
struct RowPlaceTable {
  struct Place {
    /// The place of the page, or `noPage` in an empty entry.
    let page: UInt32
    let row: UInt32
    let version: Int64

    static let empty = Place(page: noPage, row: 0, version: 0)
    static let noPage = UInt32.max
  }

  private var keys: ContiguousArray<Int64> = []
  private var places: ContiguousArray<Place> = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  func find(_ key: Int64) -> Place? {
    guard count > 0 else { return nil }
    let index = indexOfEntry(for: key)
    return places[index].page == Place.noPage ? nil : places[index]
  }

  /// Adds a place, unless a newer version of the row is known.
  mutating func insert(_ key: Int64, _ place: Place) {
    if (count + 1) * 4 > keys.count * 3 { grow() }
    let index = indexOfEntry(for: key)
    if places[index].page == Place.noPage {
      keys[index] = key
      places[index] = place
      count += 1
    } else if places[index].version <= place.version {
      places[index] = place
    }
  }

  mutating func remove(_ key: Int64, ifOn page: UInt32? = nil) {
    guard count > 0 else { return }
    let index = indexOfEntry(for: key)
    guard places[index].page != Place.noPage, page == nil || places[index].page == page else {
      return
    }
    count -= 1
    closeGap(at: index)
  }

  private var mask: Int { keys.count - 1 }

  private func home(of key: Int64) -> Int {
    // Fibonacci hashing: adjacent keys are scattered.
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
  }

  /// The entry of a key, or the empty entry for it.
  private func indexOfEntry(for key: Int64) -> Int {
    var index = home(of: key)
    while places[index].page != Place.noPage, keys[index] != key { index = (index + 1) & mask }
    return index
  }

  /// Empties an entry and moves displaced entries after it closer to their home positions.
  private mutating func closeGap(at removed: Int) {
    var gap = removed
    var index = (gap + 1) & mask
    while places[index].page != Place.noPage {
      let distanceFromHome = (index - home(of: keys[index])) & mask
      let distanceFromGap = (index - gap) & mask
      if distanceFromHome >= distanceFromGap {
        keys[gap] = keys[index]
        places[gap] = places[index]
        gap = index
      }
      index = (index + 1) & mask
    }
    places[gap] = .empty
  }

  private mutating func grow() {
    let (oldKeys, oldPlaces) = (keys, places)
    let capacity = max(16, keys.count * 2)
    keys = ContiguousArray(repeating: 0, count: capacity)
    places = ContiguousArray(repeating: .empty, count: capacity)
    for (key, place) in zip(oldKeys, oldPlaces) where place.page != Place.noPage {
      let index = indexOfEntry(for: key)
      keys[index] = key
      places[index] = place
    }
  }
}
