import CloudRecords
import RecordStorage

/// How far a query has come in one zone, from one slice to the next.
struct ZoneQueryProgress: Sendable {
  /// Where the next slice goes on.
  enum Cursor: Sendable {
    /// At one of the names, which are in order.
    case names([String], next: Int)
    case scan(after: UInt64)
    case index(IndexCursor)
  }

  let way: QueryPlan.AccessPath
  /// The index that would have been better.
  let wish: IndexSubject?
  var cursor: Cursor
  var matches: FirstMatches
  /// The last place of the order that all records before were looked at of; nil where that cannot
  /// be said, or may not be told to the caller.
  var furthest: RecordSort.Place?
  /// How many entries were gone through.
  var visited = 0
  var isDone = false
  /// Whether it ended before all of the zone was read: an answer goes on behind `furthest`.
  var isEndedEarly = false

  init(_ plan: QueryPlan, _ matches: FirstMatches, cursor: Cursor) {
    (way, wish) = (plan.way, plan.wish)
    self.cursor = cursor
    self.matches = matches
  }
}

/// Where a query stands in an index.
struct IndexCursor: Sendable {
  let index: UInt64
  let order: QueryPlan.Order
  /// What is still to be read, in the order in which it is; of the first one, what lies behind
  /// `after`.
  var ranges: [IndexRange]
  /// The point that is being read, where points come from the last one down.
  var point: IndexPoint?
  var after: StorageKey?
  /// The point of the last candidate.
  var lastPoint: IndexPoint?
}
