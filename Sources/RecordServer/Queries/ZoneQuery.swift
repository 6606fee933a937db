import BinaryForms
import CloudRecords
import RecordStorage

/// Answers a question from one zone, in the way that a plan has chosen.
///
/// It gives the first matches behind the place where the last page ended, as many as find room, and whether there are more.
final class ZoneQuery {
  private let question: Question
  private let reader: ZoneReader
  private let indexes: ZoneIndexes
  private let transaction: any StorageReading
  private let room: PageRoom
  /// The fields that are wanted; nil for all.
  private let wanted: Set<String>?
  /// How many entries were gone through.
  private(set) var visited = 0

  init(
    _ question: Question, _ reader: ZoneReader, _ indexes: ZoneIndexes, _ transaction: any StorageReading,
    room: PageRoom, wanted: Set<String>?
  ) {
    self.question = question
    self.reader = reader
    self.indexes = indexes
    self.transaction = transaction
    self.room = room
    self.wanted = wanted
  }

  private var keys: ZoneKeys { reader.access.keys }

  func run(_ way: QueryPlan.Way) throws -> MatchPage {
    switch way {
    case .scan: return try scan()
    case .names(let names):
      var first = FirstMatches(room, by: question.sort)
      try visitRecords(Set(names).sorted()) { record in
        if let match = match(record) { first.add(match) }
        return .goOn
      }
      return first.page
    case .index(let subject, let ranges, let order):
      guard let index = indexes.ready[subject] else { return try scan() }
      switch order {
      case .none: return try gather(ranges, of: index)
      case .same: return try follow(ranges, of: index)
      case .byValue(let ascending, let includesNothing):
        return try walk(ranges, of: index, ascending: ascending, includesNothing: includesNothing)
      }
    }
  }

  /// What a record is to the question: nothing, where it is not meant, not seen, or was on an earlier page.
  private func match(_ record: StoredRecord) -> QueryMatch? {
    guard question.includes(record), reader.shows(record) else { return nil }
    let place = question.sort.place(of: record, zone: keys.number)
    if let start = question.start, !question.sort.isOrdered(start, place) { return nil }
    return QueryMatch(record, at: place, wanted: wanted)
  }

  private func scan() throws -> MatchPage {
    var first = FirstMatches(room, by: question.sort)
    try transaction.visitEntries(in: keys.entries(after: 0)) { _, value in
      visited += 1
      let bytes = Array(copying: value)
      guard try StoredEntry.recordType(in: bytes) == question.recordType,
        case .record(let record) = try StoredEntry(bytes: bytes)
      else { return .goOn }
      if let match = match(record) { first.add(match) }
      return .goOn
    }
    return first.page
  }

  /// Visits records by their names, in the order of the names, by two reads: none is kept.
  private func visitRecords(_ names: [String], _ body: (StoredRecord) throws -> StorageVisit) throws {
    var positions: [StorageKey] = []
    for bytes in try transaction.values(of: names.map(keys.name)) {
      guard let bytes else { continue }
      var form = FormReader(bytes)
      positions.append(keys.entry(at: try form.number()))
    }
    var wish = StorageVisit.goOn
    try transaction.visitValues(of: positions) { _, value in
      guard let value else { throw FormDamage(what: "a record is not at its position", offset: 0) }
      guard wish == .goOn, case .record(let record) = try StoredEntry(bytes: Array(copying: value)) else { return }
      wish = try body(record)
    }
  }
}

// MARK: - By an index

extension ZoneQuery {
  /// Looks at all candidates.
  private func gather(_ ranges: [IndexRange], of index: QueryIndex) throws -> MatchPage {
    var first = FirstMatches(room, by: question.sort)
    // A record stands in a list's index at each of its members.
    var seen: Set<String> = []
    for range in ranges {
      try visitNames(in: range, of: index) { names in
        try visitRecords(names.filter { seen.insert($0).inserted }) { record in
          if let match = match(record) { first.add(match) }
          return .goOn
        }
        return .goOn
      }
    }
    return first.page
  }

  /// Takes candidates as they come, until there are enough.
  private func follow(_ ranges: [IndexRange], of index: QueryIndex) throws -> MatchPage {
    var page = MatchPage(room)
    for range in ranges where !page.isCut { try follow(range, of: index, into: &page) }
    return page
  }

  private func follow(_ range: IndexRange, of index: QueryIndex, into page: inout MatchPage) throws {
    var found = page
    try visitNames(in: range, from: beginning(in: range, of: index), of: index) { names in
      try visitRecords(names) { record in
        if let match = match(record) { found.add(match) }
        return found.isCut ? .stop : .goOn
      }
      return found.isCut ? .stop : .goOn
    }
    page = found
  }

  /// The entry behind which a page goes on where the entries of a range come as the results do.
  private func beginning(in range: IndexRange, of index: QueryIndex) -> StorageKey? {
    guard let start = question.start, start.zone == keys.number else { return nil }
    let value: FieldValue? =
      index.subject.field == SystemField.recordIdentifier.rawValue
      ? .reference(RecordReference(recordName: start.recordName)) : start.values.first ?? nil
    let point =
      range == IndexRange.values || !question.sort.parts.isEmpty
      ? (value.flatMap { IndexPoint($0) } ?? .nothing).bytes : range.lower
    let key = indexes.entry(point, start.recordName, of: index)
    return range.storage(behind: keys.indexEntries(index.number)).contains(key) ? key : nil
  }

  /// Goes from value to value in the order of the first sort, until there are enough.
  private func walk(
    _ ranges: [IndexRange], of index: QueryIndex, ascending: Bool, includesNothing: Bool
  ) throws -> MatchPage {
    var page = MatchPage(room)
    for range in ascending ? ranges : ranges.reversed() {
      var rest = range
      skip(in: &rest, ascending: ascending)
      while !page.isCut, !rest.isEmpty, let point = try next(in: rest, of: index, ascending: ascending) {
        try take(point, of: index, into: &page)
        if ascending { rest.lower = IndexRange(point).upper } else { rest.upper = point.bytes }
      }
    }
    if includesNothing, !page.isCut { try take(.nothing, of: index, into: &page) }
    return page
  }

  /// Leaves out the values that were on earlier pages.
  private func skip(in range: inout IndexRange, ascending: Bool) {
    guard let start = question.start, let first = start.values.first else { return }
    // The last page may have ended among the records without a value, which come behind all values.
    guard let point = first.flatMap({ IndexPoint($0) }) else { return range.begin(at: .nothing) }
    if ascending { range.begin(at: point) } else { range.end(with: point) }
  }

  private func next(in range: IndexRange, of index: QueryIndex, ascending: Bool) throws -> IndexPoint? {
    let prefix = keys.indexEntries(index.number)
    var point: IndexPoint?
    try transaction.visitEntries(
      in: range.storage(behind: prefix), order: ascending ? .ascending : .descending, limit: 1
    ) { key, _ in
      var reader = StorageKeyReader(after: prefix)
      point = try IndexPoint(in: key, &reader)
      return .stop
    }
    return point
  }

  /// Takes the records of one point: as they come where nothing but their names tells them apart, else in the order of the sorts.
  private func take(_ point: IndexPoint, of index: QueryIndex, into page: inout MatchPage) throws {
    let range = IndexRange(point)
    if question.sort.parts.count == 1, point.isExact { return try follow(range, of: index, into: &page) }
    var first = FirstMatches(room, by: question.sort)
    try visitNames(in: range, of: index) { names in
      try visitRecords(names) { record in
        if let match = match(record) { first.add(match) }
        return .goOn
      }
      return .goOn
    }
    page.add(first.page)
  }

  /// Visits the names in a range of an index, some hundred at once.
  private func visitNames(
    in range: IndexRange, from beginning: StorageKey? = nil, of index: QueryIndex,
    _ body: ([String]) throws -> StorageVisit
  ) throws {
    let prefix = keys.indexEntries(index.number)
    let whole = range.storage(behind: prefix)
    let limit = min(ServerLimits.candidatesAtOnce, max(room.count + 1, ServerLimits.leastCandidatesAtOnce))
    var last = beginning
    while true {
      let rest = last.map { StorageRange(from: $0.successor, to: whole.upper) } ?? whole
      var names: [String] = []
      try transaction.visitEntries(in: rest, order: .ascending, limit: limit) { key, _ in
        var reader = StorageKeyReader(after: prefix)
        _ = try IndexPoint(in: key, &reader)
        names.append(try reader.text(in: key))
        last = StorageKey(bytes: Array(copying: key))
        return .goOn
      }
      visited += names.count
      guard !names.isEmpty, try body(names) == .goOn, names.count == limit else { return }
    }
  }
}
