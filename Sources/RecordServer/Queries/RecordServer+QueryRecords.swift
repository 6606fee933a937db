import CloudRecords
import CloudSchema
import CloudWire
import JSONCoding
import RecordStorage

extension RecordServer {
  /// `records/query`: the records of a type that pass all filters, sorted and in pages.
  func queryRecords(
    _ request: RecordsQueryRequest, _ call: Call
  ) async throws(CloudError) -> EncodedResponse {
    try limits.check(request.query.filters.count, "filters")
    try limits.check(request.query.sorts.count, "sorts")
    let server = self
    let outcome = try await read(
      call.scope == .private ? call.callerName : nil, inTurnsOf: call.caller, from: QueryState?.none
    ) { state, transaction, slice in
      var run = try QueryRun(request, call, server, transaction, slice, from: state)
      return try run.resume()
    }
    for suggestion in outcome.suggestions { indexSuggestions.add(suggestion) }
    return try outcome.answer.get()
  }
}

/// The state of a query from one slice to the next.
private struct QueryState: Sendable {
  let query: ValidatedQuery
  let wanted: Set<String>?
  let zones: [RecordZoneIdentifier]
  /// Matches of finished zones.
  var first: FirstMatches
  var doneZones = 0
  /// The progress in the next zone.
  var zone: ZoneQueryProgress?
  /// The presentation of the records of each zone.
  var views: [UInt64: RecordView] = [:]
  var suggestions: [IndexSuggestion] = []
  /// The place after which the next page starts if the query ended early; nil otherwise.
  var end: RecordSort.Place?
  /// The token for the end of the zone's feed when the query began.
  var syncToken: String?

  mutating func pause() {
    first.pause()
    zone?.matches.pause()
  }

  /// The approximate memory that the state holds, in bytes.
  var byteCount: Int { first.byteCount + (zone?.matches.byteCount ?? 0) }
}

/// The outcome of a query, and the indexes that would have made it faster.
private struct QueryOutcome: Sendable {
  var answer: Result<EncodedResponse, CloudError>
  var suggestions: [IndexSuggestion]
}

/// One slice of a query, in its transaction.
private struct QueryRun {
  private let request: RecordsQueryRequest
  private let call: Call
  private let server: RecordServer
  private let transaction: any StorageReading
  private let slice: ReadingSlice
  private var state: QueryState
  /// The reader of the next zone, if it was created already.
  private var reader: ZoneReader?

  private var limits: ServiceLimits { server.limits }

  init(
    _ request: RecordsQueryRequest, _ call: Call, _ server: RecordServer,
    _ transaction: any StorageReading,
    _ slice: ReadingSlice, from state: QueryState?
  ) throws {
    self.request = request
    self.call = call
    self.server = server
    self.transaction = transaction
    self.slice = slice
    if let state {
      self.state = state
      return
    }
    // Access is checked first, so that a caller without access learns nothing about the schema.
    let zones = try Self.zones(request, call, transaction)
    reader = try zones.first.map { try ZoneReader($0, call, server, transaction) }
    let schema = try SchemaCopy(of: call.realm, in: transaction, parsed: server.parsedSchemas)
      .schema
    let query = try ValidatedQuery(request, schema, call, server.limits)
    let room = PageBudget(count: query.limit, bytes: server.limits.answerBytes)
    self.state = QueryState(
      query: query, wanted: request.desiredKeys.map { Set($0) }, zones: zones,
      first: FirstMatches(room, by: query.sort))
    if zones.count == 1 { self.state.syncToken = reader?.access.wantedToken(for: call) }
  }

  /// An explicit zone takes precedence over `zoneWide`; without either, it is the default zone.
  private static func zones(
    _ request: RecordsQueryRequest, _ call: Call, _ transaction: any StorageReading
  ) throws -> [RecordZoneIdentifier] {
    if request.zone == nil, request.zoneWide {
      guard call.scope != .shared else {
        throw CloudError(
          .badRequest, "Queries of all zones are not possible in the shared database. Name a zone.")
      }
      return try allZones(call, transaction)
    }
    return [(request.zone ?? ZoneReference()).identifier(caller: call.callerName)]
  }

  private static func allZones(_ call: Call, _ transaction: any StorageReading) throws
    -> [RecordZoneIdentifier]
  {
    let standard = RecordZoneIdentifier(
      zoneName: RecordZoneIdentifier.defaultZoneName, ownerName: call.callerName)
    guard call.scope == .private else { return [standard] }
    let directory = ZoneDirectory(database: DatabaseKeys(realm: call.realm, owner: call.callerName))
    let custom = try directory.zones(in: transaction).filter {
      $0.deleted == nil && $0.name != standard.zoneName
    }
    return [standard]
      + custom.map { RecordZoneIdentifier(zoneName: $0.name, ownerName: call.callerName) }
  }

  mutating func resume() throws -> ReadingStep<QueryState?, QueryOutcome> {
    while state.doneZones < state.zones.count {
      slice.visit()
      if let reader = try nextReader() { try query(reader) } else { state.doneZones += 1 }
      guard state.zone != nil || slice.isSpent, state.doneZones < state.zones.count else {
        continue
      }
      if slice.isRequestSpent { return .done(refusal) }
      state.pause()
      return .paused(state, bytes: state.byteCount)
    }
    return .done(QueryOutcome(answer: .success(answer()), suggestions: state.suggestions))
  }

  /// The reader of the next zone; nil if a zone was deleted since the query began.
  private mutating func nextReader() throws -> ZoneReader? {
    defer { reader = nil }
    if let reader { return reader }
    do {
      return try ZoneReader(state.zones[state.doneZones], call, server, transaction)
    } catch let error as CloudError where error.code == .zoneNotFound && state.zones.count > 1 {
      state.zone = nil
      return nil
    }
  }

  /// Continues reading a zone.
  private mutating func query(_ reader: ZoneReader) throws {
    let access = reader.access
    state.views[access.keys.number] = reader.view(
      state.wanted, numbersAsStrings: request.numbersAsStrings)
    let query = ZoneQuery(
      state.query, reader, try ZoneIndexes(of: access.zone, access.keys, in: transaction),
      transaction, slice,
      room: PageBudget(count: state.query.limit, bytes: limits.answerBytes),
      wanted: state.wanted,
      mayEndEarly: state.zones.count == 1, from: state.zone)
    state.zone = nil
    try query.resume()
    let progress = query.progress
    guard progress.isDone || slice.isRequestSpent else { return state.zone = progress }
    if let subject = progress.suggestion, progress.visited > limits.entriesVisitedWithoutIndex {
      state.suggestions.append(IndexSuggestion(subject: subject, keys: access.keys))
    }
    guard progress.isDone else { return state.zone = progress }
    state.first.add(progress.matches.page)
    if progress.isEndedEarly { state.end = progress.furthest }
    state.doneZones += 1
  }

  /// The error of a query that used up its budget.
  private var refusal: QueryOutcome {
    let count = slice.visitedByRequest
    let error =
      state.suggestions.isEmpty
      ? CloudError(
        .badRequest,
        "The query went through \(count) entries without finishing. Narrow it with a filter, or sort by a field.",
        extension: .limitExceeded)
      : CloudError(
        .tryAgainLater,
        "The query went through \(count) entries without finishing. An index is being built for it.",
        retryAfterSeconds: 60)
    return QueryOutcome(answer: .failure(error), suggestions: state.suggestions)
  }

  /// Encodes a page, which ends when the response is full.
  private func answer() -> EncodedResponse {
    let page = state.first.page
    let fingerprint = state.query.fingerprint
    var writer = JSONWriter(capacity: 4096)
    RecordsQueryResponse.write(to: &writer, syncToken: state.syncToken) { writer in
      var last: RecordSort.Place?
      for match in page.matches {
        if let last, writer.count >= limits.answerBytes { return last.marker(of: fingerprint) }
        guard let view = state.views[match.place.zone] else { continue }
        writer.result(view.result(of: match.record))
        last = match.place
      }
      return page.isCut ? last?.marker(of: fingerprint) : state.end?.marker(of: fingerprint)
    }
    return EncodedResponse(bytes: writer.array())
  }
}
