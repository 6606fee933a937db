import CloudRecords
import CloudWire
import RecordStorage

/// Where a reader stands in a zone's entries, and which way it walks.
///
/// Whoever walks up from the oldest entry has read all up to `floor`. Whoever walks down from the
/// newest one began at `top` and has read what lies from `ceiling` on; at the bottom of a walk, all
/// up to its `top` is read, and the next one goes down from what is the newest then:
///
///                 1 ───────────── floor ······· ceiling ───── top ········ last
///     up          read            to be read
///     down        read earlier    to be read    read          of the next walk
///
/// An entry that changes moves to the end, so a walk down meets each record at most once, and what
/// changes meanwhile is told by the next.
struct ZoneWalk: Hashable {
  private(set) var isReversed: Bool
  /// Up to where everything was read before this walk; nil where nothing was.
  private(set) var floor: UInt64?
  private var top: UInt64
  private var ceiling: UInt64
  /// Of who walks up from the oldest entry: the tombstones up to here were gone when that began,
  /// and nobody need tell of them.
  private var begunThrough: UInt64
  /// What the reader had was all that there was when the zone ended here, or it had nothing then:
  /// of what had gone by then it need not be told any more.
  ///
  /// It lies behind `floor` where what was read since may have moved on before its like was
  /// reached.
  private(set) var known: UInt64
  /// Whether the reader may lack something of what there was when the zone ended at `floor`,
  /// although that is all `known`.
  private var isPartial = false

  /// A walk through all of a zone.
  init(isReversed: Bool, in access: ZoneAccess) {
    self.isReversed = isReversed
    let last = access.zone.lastPosition
    (top, ceiling, begunThrough) = (last, last + 1, access.zone.purgedThrough)
    known = last
  }

  /// What is to be read, and in which order.
  func entries(of keys: ZoneKeys) -> (range: StorageRange, order: StorageOrder) {
    let range = keys.entries(after: floor ?? 0)
    guard isReversed else { return (range, .ascending) }
    return (
      StorageRange(from: range.lower, to: max(range.lower, keys.entry(at: ceiling))), .descending
    )
  }

  /// The walk after entries were read up to one, with more behind it.
  func after(_ position: UInt64) -> ZoneWalk {
    var walk = self
    if isReversed { walk.ceiling = position } else { walk.floor = position }
    walk.isPartial = true
    return walk
  }

  /// The walk after all was read.
  var atEnd: ZoneWalk {
    var walk = self
    // What moved up while a walk down was under way is met by the next one, wherever it is then; a
    // walk up has met it, and so has one that took a single page.
    if !isReversed || ceiling > top { (walk.known, walk.isPartial) = (top, false) }
    walk.floor = top
    walk.ceiling = top + 1
    return walk
  }
}

// MARK: - As tokens

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

  /// The last mark of a partial walk; no zone with a feed has its number.
  private static let partial = FeedToken.Mark(zone: 0, position: 0)

  /// The walk that a token goes on with.
  ///
  /// - Throws: Where the token is of another feed, of a walk the other way, or older than the feed
  ///   reaches.
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
    if isReversed { goOn(down: marks) } else { goOn(up: marks) }
    guard given.history == history else {
      let wasComplete = isComplete && marks[1].zone == access.generation && access.seesAll
      throw .tokenOfLostHistory(
        given.history, readThrough: wasComplete ? floor : nil, in: access.zone, call)
    }
    // The reader sees other parts of the zone than before, or was away for too long.
    guard marks[1].zone == access.generation, isWithin(access.zone.lastPosition),
      max(floor ?? top, begunThrough) >= access.zone.purgedThrough
    else { throw .tokenExpired() }
  }

  private mutating func goOn(up marks: [FeedToken.Mark]) {
    (floor, known) = (marks[0].position, marks[1].position)
    begunThrough = marks.count == 3 ? marks[2].position : 0
  }

  private mutating func goOn(down marks: [FeedToken.Mark]) {
    begunThrough = 0
    floor = marks[2].zone == 0 ? nil : marks[2].position
    known = marks.count == 4 ? marks[3].position : 0
    // Whoever is at the bottom begins at what is the newest now.
    if floor != marks[1].position { (top, ceiling) = (marks[1].position, marks[0].position) }
  }

  /// Whether the reader has all that there was when the zone ended at `floor`: not so in the middle
  /// of a walk, nor after a walk down during which records moved up.
  private var isComplete: Bool { floor == known && !isPartial && (!isReversed || ceiling > top) }

  private func isWithin(_ last: UInt64) -> Bool {
    (floor ?? 0) <= top && top <= last && ceiling <= top + 1
  }

  /// A token of one direction.
  static func token(
    _ token: String, isReversed: Bool, _ zone: RecordZoneIdentifier, _ call: Call,
    in history: StoreHistory
  ) throws(CloudError) -> FeedToken {
    let reader = readerName(zone, call)
    guard !FeedToken.isToken(token, of: feed(!isReversed), realm: call.realm, reader: reader) else {
      throw CloudError(
        .badRequest,
        "The syncToken is of a walk \(isReversed ? "from the oldest change on" : "from the newest change down"). Send it with “reverse”: \(!isReversed), or none to begin anew."
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
