import BinaryCoding
import CloudRecords

/// The positions of a zone that a restoration lost: those that its history gave out after the
/// backup.
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
  /// Notes that a restoration lost what a zone had after its present state.
  mutating func append(lostSince zone: StoredZone, nextHistory: StoreHistory) {
    if let last, last.through == zone.lastPosition {
      // Nothing happened since the former restoration, which may not even have ended.
      self[count - 1].through = nextHistory.base
    } else {
      append(LostRange(history: zone.history, after: zone.lastPosition, through: nextHistory.base))
    }
    removeFirst(Swift.max(0, count - ServerLimits.lostRanges))
  }
}

extension CloudError {
  /// The token is from before a restoration, and the server's own clients are told what that lost.
  ///
  /// - Parameter readThrough: The position at which the reader had all of the zone; nil if there is
  ///   none.
  static func tokenOfLostHistory(
    _ history: StoreHistory, readThrough: UInt64?, in zone: StoredZone, _ call: Call
  ) -> CloudError {
    var error = tokenExpired()
    guard call.isOwnClient, !zone.lost.isEmpty else { return error }
    var lost = LostHistory(
      lost: zone.lost.map { LostHistory.Range(after: $0.after, through: $0.through) })
    // Positions of a history that this storage never had, as of another restoration of the same
    // backup, lie anywhere else.
    lost.lost.append(LostHistory.Range(after: zone.lastPosition, through: nil))
    if let readThrough, let range = zone.lost.first(where: { $0.history == history }) {
      lost.readThrough = min(readThrough, range.after)
    }
    error.lostHistory = lost
    return error
  }
}

// MARK: - As it is stored

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
