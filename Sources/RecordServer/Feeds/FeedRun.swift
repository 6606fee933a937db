import CloudRecords
import CloudWire
import RecordStorage

/// The progress of a request for feeds, from one slice to the next.
struct FeedsState: Sendable {
  /// The items of the finished zones.
  var items: [ChangesZoneResponse.Item] = []
  /// The remaining size of the response for all zones.
  ///
  /// Zones beyond it wait for the next request.
  var room: ResponseBudget
  /// The page of the next zone, if an earlier slice began it.
  var begun: BegunPage?

  init(_ room: ResponseBudget) { self.room = room }

  /// The approximate memory that the state holds, in bytes.
  var byteCount: Int {
    let done = items.reduce(0) { count, item in
      if case .page(_, let page) = item { count + (page.writtenRecords?.count ?? 0) } else { count }
    }
    return done + (begun?.parts.reduce(0) { $0 + $1.count } ?? 0)
  }
}

/// The part of a page that earlier slices read.
struct BegunPage: Sendable {
  /// JSON arrays of results.
  var parts: [[UInt8]] = []
  var count = 0
  /// The token with which the next slice continues, as a client would.
  var syncToken: String?
  /// The zone's last position when the page began.
  var lastPosition: UInt64 = 0

  mutating func add(_ part: ZoneFeed.Part) {
    parts.append(part.records)
    count += part.count
    syncToken = part.syncToken
  }

  func page(moreComing: Bool) -> ZoneFeedPage {
    ZoneFeedPage(writtenRecords: joined, syncToken: syncToken ?? "", moreComing: moreComing)
  }

  private var joined: [UInt8] {
    guard parts.count > 1 else { return parts.first ?? Array("[]".utf8) }
    let members = parts.map { $0.dropFirst().dropLast() }.filter { !$0.isEmpty }
    return [UInt8(ascii: "[")] + members.joined(separator: [UInt8(ascii: ",")]) + [
      UInt8(ascii: "]")
    ]
  }
}

/// One slice of a zone's feed.
struct FeedRun {
  private let input: ZoneFeedInput
  private let zone: RecordZoneIdentifier
  private let call: Call
  private let server: RecordServer
  private let transaction: any StorageReading
  private let slice: ReadingSlice

  init(
    _ input: ZoneFeedInput, _ zone: RecordZoneIdentifier, _ call: Call, _ server: RecordServer,
    _ transaction: any StorageReading, _ slice: ReadingSlice
  ) {
    (self.input, self.zone, self.call, self.server) = (input, zone, call, server)
    (self.transaction, self.slice) = (transaction, slice)
  }

  /// Continues reading.
  ///
  /// - Returns: The page; nil if the slice ends first.
  func resume(_ begun: inout BegunPage?, in room: inout ResponseBudget) throws -> ZoneFeedPage? {
    var input = input
    var page = begun ?? BegunPage()
    if begun != nil { input.syncToken = page.syncToken }
    let wanted = ZoneFeed.Wanted(
      keys: input.desiredKeys.map { Set($0) }, types: input.desiredRecordTypes.map { Set($0) })
    let part: ZoneFeed.Part
    do {
      let feed = try ZoneFeed(input, zone, call, server, transaction)
      // A page shows one state of its zone, because clients apply its records before its deletions,
      // in any order.
      if begun != nil, feed.lastPosition != page.lastPosition { return page.page(moreComing: true) }
      page.lastPosition = feed.lastPosition
      let most = try ResultsLimit.count(input.resultsLimit, most: .max) - page.count
      part = try feed.part(of: wanted, most: most, in: &room, slice)
    } catch let error as CloudError {
      guard begun != nil else { throw error }
      // The client gets the error when it continues after this page.
      return page.page(moreComing: true)
    }
    page.add(part)
    guard part.end == .ofSlice else { return page.page(moreComing: part.end == .ofRoom) }
    begun = page
    return nil
  }
}
