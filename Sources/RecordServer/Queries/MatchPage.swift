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
}

/// What a page has room for.
struct PageRoom {
  /// Records.
  var count: Int
  var bytes: Int
}

/// The first matches of a question, in order, as many as find room.
struct MatchPage {
  private(set) var matches: [QueryMatch] = []
  /// Whether there are more behind them.
  private(set) var isCut = false
  private let room: PageRoom
  private var bytes = 0

  init(_ room: PageRoom) { self.room = room }

  /// Adds a match that comes behind all others.
  mutating func add(_ match: QueryMatch) {
    guard !isCut, matches.count < room.count, matches.isEmpty || bytes < room.bytes else { return cut() }
    matches.append(match)
    bytes += match.byteCount
  }

  /// Notes that there are more.
  mutating func cut() { isCut = true }

  /// Adds the matches of a page that come behind all others.
  mutating func add(_ page: MatchPage) {
    for match in page.matches { add(match) }
    isCut = isCut || page.isCut
  }
}

/// Keeps the first of all matches, which come in any order.
struct FirstMatches {
  private let sort: RecordSort
  private let room: PageRoom
  private var matches: [QueryMatch] = []
  private var bytes = 0
  private var isCut = false

  init(_ room: PageRoom, by sort: RecordSort) {
    self.room = room
    self.sort = sort
  }

  mutating func add(_ match: QueryMatch) {
    matches.append(match)
    bytes += match.byteCount
    // Several times as many cost a sorting now and then, and no more memory than two pages do.
    if matches.count >= 4 * room.count || bytes >= 2 * room.bytes { forgetTheRest() }
  }

  /// Adds the first matches of a part.
  mutating func add(_ page: MatchPage) {
    for match in page.matches { add(match) }
    isCut = isCut || page.isCut
  }

  /// What is behind a page stays behind it, whatever is added.
  private mutating func forgetTheRest() {
    let page = page
    (matches, isCut) = (page.matches, page.isCut)
    bytes = matches.reduce(0) { $0 + $1.byteCount }
  }

  /// The first of the matches that were added.
  var page: MatchPage {
    var page = MatchPage(room)
    for match in matches.sorted(by: { sort.isOrdered($0.place, $1.place) }) where !page.isCut { page.add(match) }
    if isCut { page.cut() }
    return page
  }
}
