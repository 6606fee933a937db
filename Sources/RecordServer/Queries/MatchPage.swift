import CloudRecords

/// A matching record with its position in the order of results.
struct QueryMatch: Sendable {
  var place: RecordSort.Place
  /// The record with the requested fields.
  var record: StoredRecord
  /// Its approximate size.
  var byteCount: Int

  init(_ record: StoredRecord, at place: RecordSort.Place, wanted: Set<String>?) {
    self.place = place
    self.record = wanted.map(record.keeping) ?? record
    byteCount = self.record.likelyBytes + place.byteCount
  }

  /// Identifies the record and its zone.
  fileprivate struct Identity: Hashable {
    var zone: UInt64
    var recordName: String
  }

  fileprivate var identity: Identity { Identity(zone: place.zone, recordName: place.recordName) }
}

/// The remaining capacity of a page.
struct PageBudget: Sendable {
  /// The number of records.
  var count: Int
  var bytes: Int
}

/// The first matches of a query, in order, as many as fit.
struct MatchPage {
  private(set) var matches: [QueryMatch] = []
  /// Whether more matches may follow.
  private(set) var isCut = false
  private let room: PageBudget
  private var bytes = 0

  init(_ room: PageBudget) { self.room = room }

  /// Appends a match that comes after all others.
  mutating func add(_ match: QueryMatch) {
    guard !isCut, matches.count < room.count, matches.isEmpty || bytes < room.bytes else {
      return cut()
    }
    matches.append(match)
    bytes += match.byteCount
  }

  /// Records that more matches may follow.
  mutating func cut() { isCut = true }
}

/// Collects the first matches when they arrive in any order.
struct FirstMatches: Sendable {
  private let sort: RecordSort
  private let room: PageBudget
  private var matches: [QueryMatch] = []
  private var bytes = 0
  private var mostBytes = 0
  private var isCut = false
  /// The last place of the page after matches were dropped.
  ///
  /// Later matches must come before it.
  private var bound: RecordSort.Place?

  init(_ room: PageBudget, by sort: RecordSort) {
    self.room = room
    self.sort = sort
  }

  mutating func add(_ match: QueryMatch) {
    guard isWithinBound(match) else { return }
    matches.append(match)
    bytes += match.byteCount
    mostBytes = max(mostBytes, match.byteCount)
    // Matches are sorted only after four pages of records or two pages of bytes, which bounds the
    // memory.
    if matches.count >= 4 * room.count || bytes >= 2 * room.bytes { dropExcess() }
  }

  /// Adds the first matches of a part of the results.
  mutating func add(_ page: MatchPage) {
    for match in page.matches { add(match) }
    if page.isCut { dropMatches(after: page) }
  }

  private mutating func dropMatches(after page: MatchPage) {
    isCut = true
    guard let last = page.matches.last, isWithinBound(last) else { return }
    bound = last.place
  }

  private func isWithinBound(_ match: QueryMatch) -> Bool {
    bound.map { !sort.isOrdered($0, match.place) } ?? true
  }

  /// Whether the matches fill a page, if all further matches come after them.
  var isFull: Bool { isCut || matches.count > room.count || bytes - mostBytes >= room.bytes }

  /// Records that more matches may follow.
  mutating func cut() { isCut = true }

  /// Reduces the matches to a page until the next slice.
  mutating func pause() { dropExcess() }

  /// The approximate size of the matches in bytes.
  var byteCount: Int { bytes }

  /// Drops matches after the page, since added ones cannot bring them back.
  private mutating func dropExcess() {
    let page = page
    matches = page.matches
    if page.isCut { dropMatches(after: page) }
    bytes = matches.reduce(0) { $0 + $1.byteCount }
  }

  /// The first page of the matches.
  var page: MatchPage {
    var page = MatchPage(room)
    for match in latest.sorted(by: { sort.isOrdered($0.place, $1.place) }) where !page.isCut {
      page.add(match)
    }
    if isCut { page.cut() }
    return page
  }

  /// Removes duplicates, and keeps the latest state of each record.
  ///
  /// The index of a list field has a record once per member, and a record that changes between two
  /// slices may be met again.
  private var latest: [QueryMatch] {
    var seen: Set<QueryMatch.Identity> = []
    return matches.reversed().filter { isWithinBound($0) && seen.insert($0.identity).inserted }
  }
}
