package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `changes/zone`: the next page of each zone's feed.
  package func zoneChanges(_ request: ChangesZoneRequest, _ call: Call) async throws(CloudError)
    -> ChangesZoneResponse
  {
    try refuseFeedsOfPublic(call)
    try limits.check(request.zones.count, "zones")
    let server = self
    return try await read(
      call.scope == .private ? call.callerName : nil, inTurnsOf: call.caller,
      from: FeedsState(ResponseBudget(limits))
    ) { state, transaction, slice in
      var state = state
      while state.items.count < request.zones.count {
        let input = request.zones[state.items.count]
        let zone = input.zone.identifier(caller: call.callerName)
        do {
          let run = FeedRun(input, zone, call, server, transaction, slice)
          guard let page = try run.resume(&state.begun, in: &state.room) else {
            return .paused(state, bytes: state.byteCount)
          }
          state.items.append(.page(zone, page))
        } catch let error as CloudError {
          state.items.append(.failed(zone, error))
        }
        state.begun = nil
      }
      return .done(ChangesZoneResponse(zones: state.items))
    }
  }

  /// `records/changes`: the next page of one zone's feed.
  package func recordChanges(
    _ request: RecordsChangesRequest, _ call: Call
  ) async throws(CloudError) -> RecordsChangesResponse {
    try refuseFeedsOfPublic(call)
    let server = self
    let zone = request.feed.zone.identifier(caller: call.callerName)
    return try await read(
      call.scope == .private ? call.callerName : nil, inTurnsOf: call.caller,
      from: FeedsState(ResponseBudget(limits))
    ) { state, transaction, slice in
      var state = state
      let run = FeedRun(request.feed, zone, call, server, transaction, slice)
      guard let page = try run.resume(&state.begun, in: &state.room) else {
        return .paused(state, bytes: state.byteCount)
      }
      return .done(RecordsChangesResponse(page: page, reverse: request.feed.reverse))
    }
  }

  func refuseFeedsOfPublic(_ call: Call) throws(CloudError) {
    guard call.scope != .public else {
      throw CloudError(.badRequest, "The public database has no change feeds. Query it instead.")
    }
  }
}

/// The remaining size of a response with pages of feeds.
struct ResponseBudget: Sendable {
  var records: Int
  var bytes: Int

  init(_ limits: ServiceLimits) {
    (records, bytes) = (limits.recordsPerResponse, limits.answerBytes)
  }
}

/// A zone's feed after a reader's position: the current state of each changed record.
struct ZoneFeed {
  /// The requested fields and record types; nil for all.
  struct Wanted {
    var keys: Set<String>?
    var types: Set<String>?
  }

  /// The part of a page that one slice reads.
  struct Part {
    enum End {
      /// The end of the feed.
      case ofFeed
      /// The response is full, or its time is over.
      case ofRoom
      case ofSlice
    }

    /// A JSON array.
    var records: [UInt8]
    var count: Int
    var syncToken: String
    var end: End
  }

  private let input: ZoneFeedInput
  private let reader: ZoneReader
  private let call: Call
  private let transaction: any StorageReading
  private let walk: ZoneWalk

  /// The zone's last position in the snapshot.
  var lastPosition: UInt64 { reader.access.zone.lastPosition }

  init(
    _ input: ZoneFeedInput, _ zone: RecordZoneIdentifier, _ call: Call, _ server: RecordServer,
    _ transaction: any StorageReading
  ) throws {
    guard !zone.isDefaultZone else {
      throw CloudError(
        .badRequest,
        "cannot get changes in default zone: create a custom zone, which has a change feed."
      )
    }
    self.input = input
    self.call = call
    self.transaction = transaction
    do {
      reader = try ZoneReader(zone, call, server, transaction)
    } catch let error as CloudError where error.code == .zoneNotFound && error.extension == nil {
      throw try Self.wasDeleted(zone, input, call, transaction) ? ZoneFinder.deleted(zone) : error
    }
    walk =
      if let token = input.token {
        try ZoneWalk(token: token, isReversed: input.isReversed, in: reader.access, call)
      } else {
        ZoneWalk(isReversed: input.isReversed, in: reader.access)
      }
  }

  /// Whether the reader's token belongs to a deleted zone in the reader's own database.
  private static func wasDeleted(
    _ zone: RecordZoneIdentifier, _ input: ZoneFeedInput, _ call: Call,
    _ transaction: any StorageReading
  ) throws -> Bool {
    guard call.scope == .private, zone.ownerName == call.callerName, let token = input.token,
      let mark = try? ZoneWalk.token(token, isReversed: input.isReversed, zone, call, in: .first)
        .marks.first
    else { return false }
    let directory = ZoneDirectory(database: DatabaseKeys(realm: call.realm, owner: zone.ownerName))
    return try directory.zone(mark.zone, in: transaction)?.deleted != nil
  }

  /// The position up to which a client knew the zone when it made changes; nil without a token.
  ///
  /// The client sends the token with its changes. The token may be older than the feed, since the
  /// position is only compared with positions that the zone remembers.
  ///
  /// - Throws: If the token belongs to another feed or history, or to a former zone of the same
  ///   name, for which the changes were meant.
  static func knownPosition(_ token: String?, _ access: ZoneAccess, _ call: Call) throws(CloudError)
    -> UInt64?
  {
    guard let token, !token.isEmpty else { return nil }
    let history = access.zone.history
    let given = try ZoneWalk.token(token, isReversed: false, access.identifier, call, in: history)
    guard let mark = given.marks.first else { return nil }
    guard mark.zone == access.keys.number else { throw .zoneRecreated(access.identifier) }
    guard given.history == history else {
      throw .tokenOfLostHistory(given.history, readThrough: nil, in: access.zone, call)
    }
    return mark.position
  }

  /// Reads the next records that fit.
  ///
  /// If nothing fits, the part says whether there are more.
  ///
  /// - Parameter most: The maximum number of results.
  func part(of wanted: Wanted, most: Int, in room: inout ResponseBudget, _ slice: ReadingSlice)
    throws -> Part
  {
    let limit = min(most, room.records)
    let view = reader.view(wanted.keys, numbersAsStrings: input.numbersAsStrings ?? false)
    var results = FeedPageWriter(view)
    var last: UInt64?
    var end = Part.End.ofFeed
    let showsRecords = reader.showsRecords
    let (entries, order) = walk.entries(of: reader.access.keys)
    let keyStart = reader.access.keys.entry(at: 0).bytes.count - 8
    try transaction.visitEntries(in: entries, order: order) { key, value in
      guard results.count < limit, results.byteCount < room.bytes, !slice.isPageSpent else {
        end = .ofRoom
        return .stop
      }
      guard !slice.isSpent else {
        end = .ofSlice
        return .stop
      }
      slice.visit()
      let position = Self.position(in: key, at: keyStart)
      last = position
      if showsRecords, try results.add(recordIn: value, types: wanted.types) { return .proceed }
      let entry = try StoredEntry(bytes: Array(copying: value)).settled(at: position)
      if let result = result(of: entry, view, wanted.types) { results.add(result) }
      return .proceed
    }
    let token =
      end == .ofFeed ? walk.atEnd.token(of: reader.access, for: call) : token(after: last)
    room.records -= results.count
    room.bytes -= results.byteCount
    let count = results.count
    return Part(records: results.finish(), count: count, syncToken: token, end: end)
  }

  /// The token after entries were read up to a position, with more to come; the reader's own token
  /// if none was read.
  private func token(after position: UInt64?) -> String {
    guard let position else { return input.token ?? walk.token(of: reader.access, for: call) }
    return walk.after(position).token(of: reader.access, for: call)
  }

  private static func position(in key: Span<UInt8>, at start: Int) -> UInt64 {
    var position: UInt64 = 0
    for index in start..<key.count { position = position << 8 | UInt64(key[index]) }
    return position
  }

  /// The reader's result for an entry; nil if the entry is hidden from the reader.
  private func result(of entry: StoredEntry, _ view: RecordView, _ types: Set<String>?)
    -> RecordResult?
  {
    switch entry {
    case .record(let record):
      if reader.shows(record) {
        guard types?.contains(record.recordType) ?? true else { return nil }
        return view.result(of: record)
      }
      guard reader.access.saw(record.formerShares, endedAfter: walk.known) else { return nil }
      return deleted(record.recordName, record.recordType)
    case .tombstone(let tombstone):
      return isReported(tombstone) ? deleted(tombstone.recordName, tombstone.recordType) : nil
    }
  }

  /// Whether the feed reports a deletion to the reader.
  private func isReported(_ tombstone: Tombstone) -> Bool {
    // A reader without a floor starts from the beginning, so it never saw the deleted record. A
    // reader at position zero saw the zone empty, and may have created the record later.
    guard walk.floor != nil else { return false }
    return reader.access.sawAll(until: tombstone.end ?? .max, after: walk.known)
      || reader.access.saw(tombstone.shares, endedAfter: walk.known)
  }

  private func deleted(_ name: String, _ type: String) -> RecordResult {
    .deleted(
      DeletedRecord(
        recordName: name, zone: reader.access.identifier, recordType: call.isOwnClient ? type : nil)
    )
  }
}

extension ZoneFeedInput {
  fileprivate var token: String? { syncToken.flatMap { $0.isEmpty ? nil : $0 } }
  fileprivate var isReversed: Bool { reverse ?? false }
}
