import BinaryCoding
import CloudRecords
import RecordStorage

/// Runs a query in one zone according to its plan, slice by slice.
///
/// It finds the first matches after the previous page's end, as many as fit, and whether there are
/// more.
final class ZoneQuery {
  private let query: ValidatedQuery
  private let reader: ZoneReader
  private let indexes: ZoneIndexes
  private let transaction: any StorageReading
  private let slice: ReadingSlice
  private let room: PageBudget
  /// The requested fields; nil for all.
  private let wanted: Set<String>?
  /// Whether a page may end before it is full.
  private let mayEndEarly: Bool
  private(set) var progress: ZoneQueryProgress

  /// Starts or resumes a query in one slice.
  ///
  /// - Parameter progress: The state at the end of the previous slice; nil for the first.
  init(
    _ query: ValidatedQuery, _ reader: ZoneReader, _ indexes: ZoneIndexes,
    _ transaction: any StorageReading,
    _ slice: ReadingSlice, room: PageBudget, wanted: Set<String>?, mayEndEarly: Bool,
    from progress: ZoneQueryProgress?
  ) {
    self.query = query
    self.reader = reader
    self.indexes = indexes
    self.transaction = transaction
    self.slice = slice
    self.room = room
    self.wanted = wanted
    self.mayEndEarly = mayEndEarly
    if let progress, indexes.canResume(progress) {
      self.progress = progress
    } else {
      self.progress = Self.beginning(query, indexes, room)
    }
  }

  private static func beginning(
    _ query: ValidatedQuery, _ indexes: ZoneIndexes, _ room: PageBudget
  )
    -> ZoneQueryProgress
  {
    let ready = indexes.ready
    let plan = QueryPlan(query, having: Set(ready.keys))
    let cursor: ZoneQueryProgress.Cursor =
      switch plan.accessPath {
      case .scan: .scan(after: 0)
      case .names(let names): .names(Set(names).sorted(), next: 0)
      case .index(let subject, let ranges, let order):
        ready[subject].map { .index(IndexCursor($0, ranges, order, query)) } ?? .scan(after: 0)
      }
    return ZoneQueryProgress(plan, FirstMatches(room, by: query.sort), cursor: cursor)
  }

  private var keys: ZoneKeys { reader.access.keys }

  /// Continues reading until the query is answered or the slice ends.
  func resume() throws {
    switch progress.cursor {
    case .scan(let position): try scan(after: position)
    case .names(let names, let next): try lookUp(names, from: next)
    case .index(let cursor): try follow(cursor)
    }
  }

  /// Keeps a record that matches, is visible to the caller, and was not on an earlier page.
  ///
  /// - Parameter order: The order of the index that led to the record.
  private func take(_ record: StoredRecord, _ order: QueryPlan.Order = .none) {
    let isMatch = query.includes(record)
    let marksProgress = mayEndEarly && order.marksProgress(in: query.sort, isMatch: isMatch)
    // A marker must not reveal records that the caller may not see.
    guard isMatch || marksProgress, record.recordType == query.recordType, reader.shows(record)
    else { return }
    let place = query.sort.place(of: record, zone: keys.number)
    if marksProgress { advance(to: place) }
    if !isMatch { return }
    if let start = query.start, !query.sort.isOrdered(start, place) { return }
    progress.matches.add(QueryMatch(record, at: place, wanted: wanted))
  }

  private func advance(to place: RecordSort.Place) {
    if let known = progress.furthest ?? query.start, !query.sort.isOrdered(known, place) {
      return
    }
    progress.furthest = place
  }

  private func count() {
    progress.visited += 1
    slice.visit()
  }

  private func scan(after position: UInt64) throws {
    var isPaused = false
    try transaction.visitEntries(in: keys.entries(after: position)) { key, value in
      count()
      let bytes = Array(copying: value)
      if try StoredEntry.recordType(in: bytes) == query.recordType,
        case .record(let record) = try StoredEntry(bytes: bytes)
      {
        take(record)
      }
      guard slice.isSpent else { return .proceed }
      progress.cursor = .scan(after: try keys.position(of: key))
      isPaused = true
      return .stop
    }
    progress.isDone = !isPaused
  }

  private func lookUp(_ names: [String], from next: Int) throws {
    var next = next
    repeat {
      let some = Array(names[next...].prefix(min(ServerLimits.candidatesAtOnce, slice.entriesLeft)))
      next += try visitRecords(some) { _, record in
        take(record)
        return .proceed
      }
    } while next < names.count && !slice.isSpent
    progress.cursor = .names(names, next: next)
    progress.isDone = next >= names.count
  }

  /// Thrown to end the visits.
  private struct VisitsEnded: Error {}

  /// Visits records by name, in the given order, with two reads, until the slice ends.
  ///
  /// - Parameter body: Receives the index of the record's name.
  /// - Returns: The number of names that were handled.
  private func visitRecords(
    _ names: [String], _ body: (Int, StoredRecord) throws -> VisitContinuation
  ) throws -> Int {
    var entries: [(place: Int, key: StorageKey)] = []
    for (place, bytes) in try transaction.values(of: names.map(keys.name)).enumerated() {
      guard let bytes else { continue }
      var form = BinaryReader(bytes)
      entries.append((place, keys.entry(at: try form.number())))
    }
    var done = names.count
    do {
      try transaction.visitValues(of: entries.map(\.key)) { number, value in
        guard let value else {
          throw BinaryCodingError(reason: "a record is not at its position", offset: 0)
        }
        count()
        let place = entries[number].place
        var continuation = VisitContinuation.proceed
        if case .record(let record) = try StoredEntry(bytes: Array(copying: value)) {
          continuation = try body(place, record)
        }
        guard continuation == .stop || slice.isSpent else { return }
        done = place + 1
        throw VisitsEnded()
      }
    } catch is VisitsEnded {}
    return done
  }
}

// MARK: - Using an index

extension ZoneQuery {
  /// An entry of an index.
  private struct Candidate {
    var key: StorageKey
    var point: IndexPoint
    var recordName: String
  }

  private func follow(_ cursor: IndexCursor) throws {
    guard let index = indexes.all.first(where: { $0.number == cursor.index }) else { return }
    var cursor = cursor
    repeat {
      guard let range = try range(&cursor, of: index) else { return progress.isDone = true }
      try follow(range, &cursor, of: index)
    } while !progress.isDone && !slice.isSpent
    progress.cursor = .index(cursor)
  }

  /// The range of the next entries; nil if there are no more.
  private func range(_ cursor: inout IndexCursor, of index: QueryIndex) throws -> IndexRange? {
    guard cursor.order.isDescending else { return cursor.ranges.first }
    if let point = cursor.point { return IndexRange(point) }
    while let first = cursor.ranges.first {
      if !first.isEmpty, let point = try last(in: first, of: index) {
        cursor.point = point
        return IndexRange(point)
      }
      cursor.ranges.removeFirst()
    }
    return nil
  }

  private func last(in range: IndexRange, of index: QueryIndex) throws -> IndexPoint? {
    let prefix = keys.indexEntries(index.number)
    var point: IndexPoint?
    try transaction.visitEntries(in: range.storage(after: prefix), order: .descending, limit: 1) {
      key, _ in
      var reader = StorageKeyReader(after: prefix)
      point = try IndexPoint(in: key, &reader)
      return .stop
    }
    return point
  }

  /// Reads a few hundred candidates of a range.
  private func follow(_ range: IndexRange, _ cursor: inout IndexCursor, of index: QueryIndex) throws
  {
    let limit = min(
      ServerLimits.candidatesAtOnce, max(room.count + 1, ServerLimits.minimumCandidatesAtOnce),
      slice.entriesLeft)
    let candidates = try candidates(
      in: range, after: cursor.after, of: index, cursor.order, limit: limit)
    var lastPoint = cursor.lastPoint
    var isDone = false
    let done = try visitRecords(candidates.map(\.recordName)) { place, record in
      let candidate = candidates[place]
      if mayEnd(before: candidate, after: lastPoint, cursor.order), endPageIfDue() {
        isDone = true
        return .stop
      }
      lastPoint = candidate.point
      take(record, cursor.order)
      return .proceed
    }
    progress.isDone = isDone
    if done > 0 { cursor.after = candidates[done - 1].key }
    cursor.lastPoint = lastPoint
    if done == candidates.count, done < limit { cursor.endRange() }
  }

  /// Whether everything before a candidate was read, so that a page may end there.
  private func mayEnd(
    before candidate: Candidate, after lastPoint: IndexPoint?, _ order: QueryPlan.Order
  ) -> Bool {
    switch order {
    case .none: false
    case .same: true
    case .byValue:
      candidate.point != lastPoint || query.sort.parts.count == 1 && candidate.point.isExact
    }
  }

  /// Ends the page if it is full or its time is over.
  ///
  /// - Returns: Whether the page has ended.
  private func endPageIfDue() -> Bool {
    if progress.matches.isFull {
      progress.matches.cut()
      return true
    }
    guard mayEndEarly, slice.isPageSpent, progress.furthest != nil else { return false }
    progress.isEndedEarly = true
    return true
  }

  private func candidates(
    in range: IndexRange, after: StorageKey?, of index: QueryIndex, _ order: QueryPlan.Order,
    limit: Int
  ) throws -> [Candidate] {
    let prefix = keys.indexEntries(index.number)
    let whole = range.storage(after: prefix)
    let last = after ?? beginning(in: range, of: index, order)
    let rest = last.map { StorageRange(from: $0.successor, to: whole.upper) } ?? whole
    var candidates: [Candidate] = []
    try transaction.visitEntries(in: rest, order: .ascending, limit: limit) { key, _ in
      var reader = StorageKeyReader(after: prefix)
      let point = try IndexPoint(in: key, &reader)
      let name = try reader.text(in: key)
      candidates.append(
        Candidate(key: StorageKey(bytes: Array(copying: key)), point: point, recordName: name))
      return .proceed
    }
    return candidates
  }

  /// The entry after which a page continues, if the entries of a range have the order of the
  /// results.
  private func beginning(in range: IndexRange, of index: QueryIndex, _ order: QueryPlan.Order)
    -> StorageKey?
  {
    guard let start = query.start, start.zone == keys.number else { return nil }
    let value: FieldValue? =
      index.subject.field == SystemField.recordIdentifier.rawValue
      ? .reference(RecordReference(recordName: start.recordName)) : start.values.first ?? nil
    let point = value.flatMap { IndexPoint($0) } ?? .nothing
    if order != .same {
      // The records of one point need sorting unless their names alone order them.
      guard order != .none, query.sort.parts.count == 1, point.isExact else { return nil }
    }
    let place =
      range == IndexRange.values || !query.sort.parts.isEmpty ? point.bytes : range.lower
    let key = indexes.entry(place, start.recordName, of: index)
    return range.storage(after: keys.indexEntries(index.number)).contains(key) ? key : nil
  }
}

extension ZoneIndexes {
  /// Whether the index that a query uses still exists and is ready.
  fileprivate func canResume(_ progress: ZoneQueryProgress) -> Bool {
    guard case .index(let cursor) = progress.cursor else { return true }
    return all.contains { $0.number == cursor.index && $0.state == .ready }
  }
}

extension IndexCursor {
  /// Creates a cursor at the start of an index's ranges, without the values of earlier pages.
  fileprivate init(
    _ index: QueryIndex, _ ranges: [IndexRange], _ order: QueryPlan.Order,
    _ query: ValidatedQuery
  ) {
    self.index = index.number
    self.order = order
    guard case .byValue(let ascending, let includesNothing) = order else {
      self.ranges = ranges
      return
    }
    self.ranges = (ascending ? ranges : ranges.reversed()).map {
      Self.afterStart($0, ascending: ascending, query)
    }.filter { !$0.isEmpty }
    // Records without a value come last, in either direction.
    if includesNothing { self.ranges.append(IndexRange(.nothing)) }
  }

  private static func afterStart(_ range: IndexRange, ascending: Bool, _ query: ValidatedQuery)
    -> IndexRange
  {
    guard let start = query.start, let first = start.values.first else { return range }
    var range = range
    // The previous page may have ended among the records without a value, which come last.
    if let point = first.flatMap({ IndexPoint($0) }) {
      if ascending { range.begin(at: point) } else { range.end(with: point) }
    } else {
      range.begin(at: .nothing)
    }
    return range
  }

  /// Continues with the next range, or the next point.
  fileprivate mutating func endRange() {
    after = nil
    if let point {
      ranges[0].upper = point.bytes
      self.point = nil
    } else {
      ranges.removeFirst()
    }
  }
}

extension QueryPlan.Order {
  fileprivate var isDescending: Bool {
    if case .byValue(let ascending, _) = self { !ascending } else { false }
  }

  /// Whether the place of a visited record may become `ZoneQueryProgress.furthest`.
  ///
  /// All records before such a place have been visited when the page may end (`mayEnd`).
  fileprivate func marksProgress(in sort: RecordSort, isMatch: Bool) -> Bool {
    switch self {
    case .none: false
    case .byValue: true
    // A record that an index of truncated texts found by mistake has another value.
    case .same: isMatch || sort.parts.isEmpty
    }
  }
}
