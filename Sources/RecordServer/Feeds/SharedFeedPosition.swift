import CloudRecords
import CloudWire
import RecordStorage

/// A reader's position in the feed of a shared database.
///
/// The token of a reader of ten owners has ten numbers, however many zones they share.
struct SharedFeedPosition: Sendable {
  /// The number of times that ended memberships of the user had been forgotten.
  var forgotten: UInt64
  /// The last listed membership while all are being listed; nil if the list is complete.
  var listed: UInt64?
  /// The number of the last reported change, by the owner's name in a token.
  var changes: [UInt64: UInt64] = [:]
  /// The memberships whose end needs no further report.
  var ended: Set<UInt64> = []

  /// The position that marks an ended membership in a token; no change has this number.
  private static let end = UInt64.max

  /// The position at the beginning, before the list of all memberships.
  init(forgotten: UInt64) { (self.forgotten, listed) = (forgotten, 0) }

  /// The name of an owner in a token.
  static func name(of owner: String) -> UInt64 { Fingerprint.wide(owner.utf8) }
}

extension SharedFeedPosition {
  /// Decodes the position of a client's token.
  ///
  /// - Throws: `CHANGE_TOKEN_EXPIRED` for a token of another history, `BAD_REQUEST` for a token of
  ///   another feed.
  init(_ text: String, of call: Call, in history: StoreHistory) throws(CloudError) {
    let token = try FeedToken(
      text, feed: .sharedDatabase, realm: call.realm, reader: Self.reader(of: call), in: history)
    guard token.history == history, let first = token.marks.first else { throw .tokenExpired() }
    self.init(forgotten: first.zone)
    listed = first.position == 0 ? nil : first.position - 1
    for mark in token.marks.dropFirst() {
      if mark.position == Self.end {
        ended.insert(mark.zone)
      } else {
        changes[mark.zone] = mark.position
      }
    }
  }

  /// The position as a token.
  func token(for call: Call, in history: StoreHistory) -> String {
    var marks = [FeedToken.Mark(zone: forgotten, position: listed.map { $0 + 1 } ?? 0)]
    marks += changes.sorted { $0.key < $1.key }.map {
      FeedToken.Mark(zone: $0.key, position: $0.value)
    }
    marks += ended.sorted().map { FeedToken.Mark(zone: $0, position: Self.end) }
    return FeedToken(
      feed: .sharedDatabase, realm: call.realm, reader: Self.reader(of: call), marks: marks,
      history: history
    ).text
  }

  private static func reader(of call: Call) -> String { "\(call.scope.name) \(call.callerName)" }
}
