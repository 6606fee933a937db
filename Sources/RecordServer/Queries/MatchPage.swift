import CloudRecords

/// A record of an answer, with its place in the order.
struct QueryMatch: Sendable {
  var place: RecordSort.Place
  /// The record with the fields that are wanted.
  var record: StoredRecord
  /// What it takes, roughly.
  var byteCount: Int

  init(_ record: StoredRecord, at place: RecordSort.Place, wanted: Set<String>?) {
    self.place = place
    self.record = wanted.map(record.keeping) ?? record
    byteCount = self.record.likelyBytes + place.byteCount
  }

  /// Which record of which zone it is.
  fileprivate struct Identity: Hashable {
    var zone: UInt64
    var recordName: String
  }

  fileprivate var identity: Identity { Identity(zone: place.zone, recordName: place.recordName) }
}

/// What a page has room for.
struct PageBudget: Sendable {
  /// Records.
  var count: Int
  var bytes: Int
}

/// The first matches of a question, in order, as many as find room.
struct MatchPage {
  private(set) var matches: [QueryMatch] = []
  /// Whether there may be more behind them.
  private(set) var isCut = false
  private let room: PageBudget
  private var bytes = 0

  init(_ room: PageBudget) { self.room = room }

  /// Adds a match that comes behind all others.
  mutating func add(_ match: QueryMatch) {
    guard !isCut, matches.count < room.count, matches.isEmpty || bytes < room.bytes else {
      return cut()
    }
    matches.append(match)
    bytes += match.byteCount
  }

  /// Notes that there may be more.
  mutating func cut() { isCut = true }
}

/// Keeps the first of all matches, which come in any order.
struct FirstMatches: Sendable {
  private let sort: RecordSort
  private let room: PageBudget
  private var matches: [QueryMatch] = []
  private var bytes = 0
  private var mostBytes = 0
  private var isCut = false
  /// The last place of the page where matches behind it were left out: none that comes later may
  /// stand behind it.
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
    // Several times as many cost a sorting now and then, and no more memory than two pages do.
    if matches.count >= 4 * room.count || bytes >= 2 * room.bytes { forgetTheRest() }
  }

  /// Adds the first matches of a part.
  mutating func add(_ page: MatchPage) {
    for match in page.matches { add(match) }
    if page.isCut { leaveOut(behind: page) }
  }

  private mutating func leaveOut(behind page: MatchPage) {
    isCut = true
    guard let last = page.matches.last, isWithinBound(last) else { return }
    bound = last.place
  }

  private func isWithinBound(_ match: QueryMatch) -> Bool {
    bound.map { !sort.isOrdered($0, match.place) } ?? true
  }

  /// Whether a page has no room for what comes behind all these.
  var isFull: Bool { isCut || matches.count > room.count || bytes - mostBytes >= room.bytes }

  /// Notes that there may be more behind them.
  mutating func cut() { isCut = true }

  /// Keeps no more than a page until the next slice.
  mutating func pause() { forgetTheRest() }

  /// Their approximate size, in bytes.
  var byteCount: Int { bytes }

  /// What is behind a page stays behind it, whatever is added.
  private mutating func forgetTheRest() {
    let page = page
    matches = page.matches
    if page.isCut { leaveOut(behind: page) }
    bytes = matches.reduce(0) { $0 + $1.byteCount }
  }

  /// The first of the matches that were added.
  var page: MatchPage {
    var page = MatchPage(room)
    for match in latest.sorted(by: { sort.isOrdered($0.place, $1.place) }) where !page.isCut {
      page.add(match)
    }
    if isCut { page.cut() }
    return page
  }

  /// Each record once, as it was seen last.
  ///
  /// A list's index has a record at each of its members, and a record that changes while a query
  /// reads in slices may be met again.
  private var latest: [QueryMatch] {
    var seen: Set<QueryMatch.Identity> = []
    return matches.reversed().filter { isWithinBound($0) && seen.insert($0.identity).inserted }
  }
}
