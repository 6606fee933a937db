import CloudRecords
import CloudSchema
import CloudWire
import JSONCoding
import RecordStorage

extension RecordServer {
  /// `records/query`: the records of a type that pass all filters, in order, page by page.
  func queryRecords(
    _ request: RecordsQueryRequest, _ call: Call
  ) async throws(CloudError) -> WrittenAnswer {
    try limits.check(request.query.filters.count, "filters")
    try limits.check(request.query.sorts.count, "sorts")
    let server = self
    let outcome = try await read(call.scope == .private ? call.callerName : nil) { transaction in
      try QueryRun(request, call, server, transaction).page()
    }
    for wish in outcome.wishes { wishes.add(wish) }
    return outcome.answer
  }
}

/// A query in its transaction.
private struct QueryRun {
  private let request: RecordsQueryRequest
  private let call: Call
  private let question: Question
  private let zones: [ZoneReader]
  private let limits: ServiceLimits
  private let transaction: any StorageReading

  init(
    _ request: RecordsQueryRequest, _ call: Call, _ server: RecordServer, _ transaction: any StorageReading
  ) throws {
    self.request = request
    self.call = call
    self.transaction = transaction
    limits = server.limits
    // Who may not be here hears nothing of the schema.
    zones = try Self.zones(request, call, server, transaction)
    let schema = try SchemaCopy(of: call.realm, in: transaction, parsed: server.parsedSchemas).schema
    question = try Question(request, schema, call, most: limits.recordsPerResponse)
  }

  /// A zone that is named wins over all zones; the default zone is meant where nothing is said.
  private static func zones(
    _ request: RecordsQueryRequest, _ call: Call, _ server: RecordServer, _ transaction: any StorageReading
  ) throws -> [ZoneReader] {
    if request.zone == nil, request.zoneWide {
      guard call.scope != .shared else {
        throw CloudError(.badRequest, "Queries of all zones are not possible in the shared database. Name a zone.")
      }
      return try allZones(call, transaction).map { try ZoneReader($0, call, server, transaction) }
    }
    let zone = (request.zone ?? ZoneReference()).identifier(caller: call.callerName)
    return [try ZoneReader(zone, call, server, transaction)]
  }

  private static func allZones(_ call: Call, _ transaction: any StorageReading) throws -> [RecordZoneIdentifier] {
    let standard = RecordZoneIdentifier(zoneName: RecordZoneIdentifier.defaultZoneName, ownerName: call.callerName)
    guard call.scope == .private else { return [standard] }
    let directory = ZoneDirectory(database: DatabaseKeys(realm: call.realm, owner: call.callerName))
    let custom = try directory.zones(in: transaction).filter { $0.deleted == nil && $0.name != standard.zoneName }
    return [standard] + custom.map { RecordZoneIdentifier(zoneName: $0.name, ownerName: call.callerName) }
  }

  func page() throws -> (answer: WrittenAnswer, wishes: [IndexWish]) {
    let room = PageRoom(count: question.limit, bytes: limits.answerBytes)
    let wanted = request.desiredKeys.map { Set($0) }
    var first = FirstMatches(room, by: question.sort)
    var wishes: [IndexWish] = []
    for zone in zones {
      let indexes = try ZoneIndexes(of: zone.access.zone, zone.access.keys, in: transaction)
      let plan = QueryPlan(question, having: Set(indexes.ready.keys))
      let query = ZoneQuery(question, zone, indexes, transaction, room: room, wanted: wanted)
      first.add(try query.run(plan.way))
      if let subject = plan.wish, query.visited > limits.entriesVisitedWithoutIndex {
        wishes.append(IndexWish(subject: subject, keys: zone.access.keys))
      }
    }
    return (answer(first.page, wanted), wishes)
  }

  /// Writes a page, which ends where the answer is as long as it may be.
  private func answer(_ page: MatchPage, _ wanted: Set<String>?) -> WrittenAnswer {
    let views = Dictionary(
      zones.map { ($0.access.keys.number, $0.view(wanted, numbersAsStrings: request.numbersAsStrings)) },
      uniquingKeysWith: { first, _ in first })
    var writer = JSONWriter(capacity: 4096)
    let syncToken = zones.count == 1 ? zones[0].access.wantedToken(for: call) : nil
    RecordsQueryResponse.write(to: &writer, syncToken: syncToken) { writer in
      var last: RecordSort.Place?
      for match in page.matches {
        if let last, writer.count >= limits.answerBytes { return last.marker(of: question.fingerprint) }
        guard let view = views[match.place.zone] else { continue }
        writer.result(view.result(of: match.record))
        last = match.place
      }
      return page.isCut ? last?.marker(of: question.fingerprint) : nil
    }
    return WrittenAnswer(bytes: writer.array())
  }
}
