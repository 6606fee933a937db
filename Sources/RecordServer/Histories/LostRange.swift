import BinaryCoding
import CloudRecords

/// The positions of a zone that a restoration lost: those issued after the backup.
///
/// ```
/// 0 ──────── after ─ ─ lost ─ ─ through = base of the next history ─────▷
/// ```
struct LostRange: Hashable, Sendable {
  /// The history that the positions belong to.
  var history: StoreHistory
  /// The zone's last position in the backup.
  var after: UInt64
  /// The base of the history that the restoration began.
  var through: UInt64
}

extension [LostRange] {
  /// Records that a restoration lost the zone's positions after its current state.
  mutating func append(lostSince zone: StoredZone, nextHistory: StoreHistory) {
    if let last, last.through == zone.lastPosition {
      // Nothing changed since the former restoration, which may not even have been finished.
      self[count - 1].through = nextHistory.base
    } else {
      append(LostRange(history: zone.history, after: zone.lastPosition, through: nextHistory.base))
    }
    removeFirst(Swift.max(0, count - ServerLimits.lostRanges))
  }
}

extension CloudError {
  /// The error for a token from before a restoration, with the lost range for the server's own
  /// clients.
  ///
  /// - Parameter readThrough: The position up to which the reader had read the whole zone; nil if
  ///   none.
  static func tokenOfLostHistory(
    _ history: StoreHistory, readThrough: UInt64?, in zone: StoredZone, _ call: Call
  ) -> CloudError {
    var error = tokenExpired()
    guard call.isOwnClient, !zone.lost.isEmpty else { return error }
    var lost = LostHistory(
      lost: zone.lost.map { LostHistory.Range(after: $0.after, through: $0.through) })
    // Positions of a history unknown to this storage, such as another restoration of the same
    // backup, may be anywhere.
    lost.lost.append(LostHistory.Range(after: zone.lastPosition, through: nil))
    if let readThrough, let range = zone.lost.first(where: { $0.history == history }) {
      lost.readThrough = min(readThrough, range.after)
    }
    error.lostHistory = lost
    return error
  }
}

// MARK: - Stored encoding

extension BinaryWriter {
  mutating func lostRanges(_ ranges: [LostRange]) {
    count(ranges.count)
    for range in ranges {
      number(range.history.base)
      number(range.after)
      number(range.through)
    }
  }
}

extension BinaryReader {
  mutating func lostRanges() throws(BinaryCodingError) -> [LostRange] {
    var ranges: [LostRange] = []
    for _ in 0..<(try count()) {
      let history = StoreHistory(base: try number())
      ranges.append(LostRange(history: history, after: try number(), through: try number()))
    }
    return ranges
  }
}
