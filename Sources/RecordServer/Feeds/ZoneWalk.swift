import CloudRecords
import CloudWire
import RecordStorage

/// A reader's progress through a zone's entries, in either direction.
///
/// An ascending reader has read all entries up to `floor`. A descending reader started at `top` and
/// has read the entries from `ceiling` to `top`. At the bottom it has read everything up to `top`,
/// and the next walk starts from the entry that is the newest then:
///
///                 1 ───────────── floor ······· ceiling ───── top ········ last
///     up          read            to be read
///     down        read earlier    to be read    read          of the next walk
///
/// A changed entry moves to the end. So a descending walk meets each record at most once, and the
/// next walk reports concurrent changes.
struct ZoneWalk: Hashable {
  private(set) var isReversed: Bool
  /// The position up to which everything was read before this walk; nil if nothing was.
  private(set) var floor: UInt64?
  private var top: UInt64
  private var ceiling: UInt64
  /// The zone's `purgedThrough` when an ascending reader started from the beginning.
  ///
  /// The reader did not know the records of these tombstones, so their purge does not expire its
  /// token.
  private var begunThrough: UInt64
  /// The position at which the reader had the whole zone, or knew nothing of it.
  ///
  /// Earlier deletions need not be reported. The position is greater than `floor` during a first
  /// ascending walk. In later walks it is less than `floor` as long as records may have moved
  /// before the walk reached their position.
  private(set) var known: UInt64
  /// Whether the reader may lack entries up to `floor`, although deletions before `known` need no
  /// report.
  private var isPartial = false

  /// Creates a walk through a whole zone.
  init(isReversed: Bool, in access: ZoneAccess) {
    self.isReversed = isReversed
    let last = access.zone.lastPosition
    (top, ceiling, begunThrough) = (last, last + 1, access.zone.purgedThrough)
    known = last
  }

  /// The entries to read, and their order.
  func entries(of keys: ZoneKeys) -> (range: StorageRange, order: StorageOrder) {
    let range = keys.entries(after: floor ?? 0)
    guard isReversed else { return (range, .ascending) }
    return (
      StorageRange(from: range.lower, to: max(range.lower, keys.entry(at: ceiling))), .descending
    )
  }

  /// The walk after entries were read up to a position, with more to come.
  func after(_ position: UInt64) -> ZoneWalk {
    var walk = self
    if isReversed { walk.ceiling = position } else { walk.floor = position }
    walk.isPartial = true
    return walk
  }

  /// The walk after everything was read.
  var atEnd: ZoneWalk {
    var walk = self
    // Records that moved during a descending walk are met by the next one; an ascending walk, or
    // one of a single page, has met them.
    if !isReversed || ceiling > top { (walk.known, walk.isPartial) = (top, false) }
    walk.floor = top
    walk.ceiling = top + 1
    return walk
  }
}

// MARK: - Tokens

extension ZoneWalk {
  func token(of access: ZoneAccess, for call: Call) -> String {
    var marks = [
      FeedToken.Mark(zone: access.keys.number, position: isReversed ? ceiling : floor ?? 0),
      FeedToken.Mark(zone: access.generation, position: isReversed ? top : known),
    ]
    if isReversed {
      marks.append(FeedToken.Mark(zone: floor == nil ? 0 : 1, position: floor ?? 0))
      marks.append(FeedToken.Mark(zone: access.keys.number, position: known))
    } else if begunThrough > floor ?? 0 {
      marks.append(FeedToken.Mark(zone: access.keys.number, position: begunThrough))
    }
    if isPartial, known == (isReversed ? top : floor) { marks.append(Self.partial) }
    let reader = Self.readerName(access.identifier, call)
    return FeedToken(
      feed: Self.feed(isReversed), realm: call.realm, reader: reader, marks: marks,
      history: access.zone.history
    )
    .text
  }

  /// The last mark of a partial walk.
  ///
  /// No zone with a feed has this number.
  private static let partial = FeedToken.Mark(zone: 0, position: 0)

  /// Decodes the walk that a token continues.
  ///
  /// - Throws: If the token is of another feed or direction, or older than the feed.
  init(token: String, isReversed: Bool, in access: ZoneAccess, _ call: Call) throws(CloudError) {
    self.init(isReversed: isReversed, in: access)
    let history = access.zone.history
    let given = try Self.token(token, isReversed: isReversed, access.identifier, call, in: history)
    var marks = given.marks
    if marks.count > (isReversed ? 4 : 2), marks.last == Self.partial {
      isPartial = true
      marks.removeLast()
    }
    guard (isReversed ? 3...4 : 2...3).contains(marks.count) else { throw .tokenExpired() }
    guard marks[0].zone == access.keys.number else { throw .zoneRecreated(access.identifier) }
    if isReversed { resume(down: marks) } else { resume(up: marks) }
    guard given.history == history else {
      let wasComplete = isComplete && marks[1].zone == access.generation && access.seesAll
      throw .tokenOfLostHistory(
        given.history, readThrough: wasComplete ? floor : nil, in: access.zone, call)
    }
    // The reader sees other parts of the zone than before, or was away too long.
    guard marks[1].zone == access.generation, isWithin(access.zone.lastPosition),
      max(floor ?? top, begunThrough) >= access.zone.purgedThrough
    else { throw .tokenExpired() }
  }

  private mutating func resume(up marks: [FeedToken.Mark]) {
    (floor, known) = (marks[0].position, marks[1].position)
    begunThrough = marks.count == 3 ? marks[2].position : 0
  }

  private mutating func resume(down marks: [FeedToken.Mark]) {
    begunThrough = 0
    floor = marks[2].zone == 0 ? nil : marks[2].position
    known = marks.count == 4 ? marks[3].position : 0
    // A reader at the bottom starts again from the newest entry.
    if floor != marks[1].position { (top, ceiling) = (marks[1].position, marks[0].position) }
  }

  /// Whether the reader has everything that existed when `floor` was the zone's last position.
  ///
  /// This is false in the middle of a walk, and after a descending walk during which records may
  /// have moved.
  private var isComplete: Bool { floor == known && !isPartial && (!isReversed || ceiling > top) }

  private func isWithin(_ last: UInt64) -> Bool {
    (floor ?? 0) <= top && top <= last && ceiling <= top + 1
  }

  /// Decodes a token of one direction.
  static func token(
    _ token: String, isReversed: Bool, _ zone: RecordZoneIdentifier, _ call: Call,
    in history: StoreHistory
  ) throws(CloudError) -> FeedToken {
    let reader = readerName(zone, call)
    guard !FeedToken.isToken(token, of: feed(!isReversed), realm: call.realm, reader: reader) else {
      throw CloudError(
        .badRequest,
        "The syncToken is of a feed in \(isReversed ? "ascending" : "descending") order. Send it with “reverse”: \(!isReversed), or none to start again."
      )
    }
    return try FeedToken(
      token, feed: feed(isReversed), realm: call.realm, reader: reader, in: history)
  }

  private static func feed(_ isReversed: Bool) -> FeedToken.Feed {
    isReversed ? .reversedZone : .zone
  }

  private static func readerName(_ zone: RecordZoneIdentifier, _ call: Call) -> String {
    "\(call.scope.name) \(call.callerName) \(zone.ownerName) \(zone.zoneName)"
  }
}
