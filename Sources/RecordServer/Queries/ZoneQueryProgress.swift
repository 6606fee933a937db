import CloudRecords
import RecordStorage

/// The progress of a query in one zone, from one slice to the next.
struct ZoneQueryProgress: Sendable {
  /// The position at which the next slice continues.
  enum Cursor: Sendable {
    /// The sorted names, and the index of the next one.
    case names([String], next: Int)
    case scan(after: UInt64)
    case index(IndexCursor)
  }

  let accessPath: QueryPlan.AccessPath
  /// An index that would have been better.
  let suggestion: IndexSubject?
  var cursor: Cursor
  var matches: FirstMatches
  /// The last place before which all records were examined; nil if it is unknown, or must not be
  /// revealed to the caller.
  var furthest: RecordSort.Place?
  /// The number of visited entries.
  var visited = 0
  var isDone = false
  /// Whether the query ended before the whole zone was read.
  ///
  /// The next page continues after `furthest`.
  var isEndedEarly = false

  init(_ plan: QueryPlan, _ matches: FirstMatches, cursor: Cursor) {
    (accessPath, suggestion) = (plan.accessPath, plan.suggestion)
    self.cursor = cursor
    self.matches = matches
  }
}

/// The position of a query in an index.
struct IndexCursor: Sendable {
  let index: UInt64
  let order: QueryPlan.Order
  /// The remaining ranges in reading order.
  ///
  /// The first one continues after `after`.
  var ranges: [IndexRange]
  /// The point that is being read, for descending order.
  var point: IndexPoint?
  var after: StorageKey?
  /// The point of the last candidate.
  var lastPoint: IndexPoint?
}
