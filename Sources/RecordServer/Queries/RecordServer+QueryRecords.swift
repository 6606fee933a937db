package import CloudRecords
import CloudSchema
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `records/query`: the records of a type that pass all filters, in order, page by page.
  package func queryRecords(
    _ request: RecordsQueryRequest, _ call: Call
  ) async throws(CloudError) -> RecordsQueryResponse {
    let server = self
    return try await read(call.scope == .private ? call.callerName : nil) { transaction in
      try QueryRun(request, call, server, transaction).page()
    }
  }
}

/// A query in its transaction.
private struct QueryRun {
  private let request: RecordsQueryRequest
  private let filters: [RecordFilter]
  private let sort: RecordSort
  private let zones: [ZoneReader]
  private let start: RecordSort.Place?
  private let limit: Int
  private let transaction: any StorageReading

  private struct Match {
    var place: RecordSort.Place
    var record: StoredRecord
    var zone: Int
  }

  init(
    _ request: RecordsQueryRequest, _ call: Call, _ server: RecordServer, _ transaction: any StorageReading
  ) throws {
    self.request = request
    self.transaction = transaction
    let schema = try SchemaCopy(of: call.realm, in: transaction, parsed: server.parsedSchemas).schema
    let type = try schema.type(queried: request.query.recordType, in: call.container.environment)
    if request.query.filters.isEmpty { try type.checkUnfiltered() }
    filters = try request.query.filters.map { try RecordFilter($0, type: type) }
    sort = try RecordSort(request.query.sorts, type: type)
    zones = try Self.zones(request, call, server, transaction)
    start = try request.continuationMarker.map { marker throws(CloudError) in try RecordSort.Place(marker: marker) }
    let most = server.limits.recordsPerResponse
    limit = max(1, min(request.resultsLimit ?? most, most))
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

  func page() throws -> RecordsQueryResponse {
    var matches: [Match] = []
    for index in zones.indices { try visit(index) { matches.append($0) } }
    matches.sort { sort.isOrdered($0.place, $1.place) }
    let page = matches.prefix(limit)
    let views = zones.map { $0.view(request.desiredKeys, numbersAsStrings: request.numbersAsStrings) }
    return RecordsQueryResponse(
      records: page.map { .record(views[$0.zone].show($0.record)) },
      continuationMarker: matches.count > limit ? page.last?.place.marker : nil)
  }

  /// Visits the records of a zone that the query means, behind the place where the last page ended.
  private func visit(_ index: Int, _ body: (Match) -> Void) throws {
    let zone = zones[index]
    let wanted = request.query.recordType
    try transaction.visitEntries(in: zone.access.keys.entries(after: 0)) { _, value in
      let bytes = Array(copying: value)
      guard try StoredEntry.recordType(in: bytes) == wanted, case .record(let record) = try StoredEntry(bytes: bytes),
        filters.allSatisfy({ $0.passes(record) }), zone.shows(record)
      else { return .goOn }
      let place = sort.place(of: record, zone: zone.access.keys.number)
      if let start, !sort.isOrdered(start, place) { return .goOn }
      body(Match(place: place, record: record, zone: index))
      return .goOn
    }
  }
}
