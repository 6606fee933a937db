package import CloudRecords
import CloudSchema
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `records/query`: the records of a type that pass all filters, in order, page by page.
  package func queryRecords(
    _ request: RecordsQueryRequest, _ call: Call
  ) async throws(CloudError) -> RecordsQueryResponse {
    try limits.check(request.query.filters.count, "filters")
    try limits.check(request.query.sorts.count, "sorts")
    let server = self
    let outcome = try await read(call.scope == .private ? call.callerName : nil) { transaction in
      try QueryRun(request, call, server, transaction).page()
    }
    for wish in outcome.wishes { wishes.add(wish) }
    return outcome.response
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

  func page() throws -> (response: RecordsQueryResponse, wishes: [IndexWish]) {
    var matches: [(match: QueryMatch, zone: Int)] = []
    var wishes: [IndexWish] = []
    for (index, zone) in zones.enumerated() {
      let indexes = try ZoneIndexes(of: zone.access.zone, zone.access.keys, in: transaction)
      let plan = QueryPlan(question, having: Set(indexes.ready.keys))
      let query = ZoneQuery(question, zone, indexes, transaction)
      matches += try query.run(plan.way).map { ($0, index) }
      if let subject = plan.wish, query.visited > limits.entriesVisitedWithoutIndex {
        wishes.append(IndexWish(subject: subject, keys: zone.access.keys))
      }
    }
    if zones.count > 1 { matches.sort { question.sort.isOrdered($0.match.place, $1.match.place) } }
    let page = matches.prefix(question.limit)
    let keys = request.desiredKeys.map { Set($0) }
    let views = zones.map { $0.view(keys, numbersAsStrings: request.numbersAsStrings) }
    let response = RecordsQueryResponse(
      records: page.map { views[$0.zone].result(of: $0.match.record) },
      continuationMarker: matches.count > question.limit
        ? page.last?.match.place.marker(of: question.fingerprint) : nil,
      syncToken: zones.count == 1 ? zones[0].access.wantedToken(for: call) : nil)
    return (response, wishes)
  }
}
