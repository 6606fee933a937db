import CloudRecords
import CloudSchema
import CloudWire
import JSONCoding

/// What a query asks, checked against the schema.
struct ValidatedQuery: Sendable {
  let recordType: String
  let filters: [RecordFilter]
  private let passing: RecordFilters
  let sort: RecordSort
  /// Where the last page ended.
  let start: RecordSort.Place?
  /// Records of a page.
  let limit: Int
  /// Tells markers of this question from those of others.
  let fingerprint: UInt32

  init(
    _ request: RecordsQueryRequest, _ schema: Schema, _ call: Call, _ limits: ServiceLimits
  ) throws(CloudError) {
    try Self.check(recordType: request.query.recordType)
    let type = try schema.type(queried: request.query.recordType, in: call.container.environment)
    if request.query.filters.isEmpty { try type.checkUnfiltered() }
    recordType = request.query.recordType
    var filters: [RecordFilter] = []
    for filter in request.query.filters {
      let filter = try RecordFilter(filter, type: type)
      try limits.check(filter)
      filters.append(filter)
    }
    self.filters = filters
    passing = RecordFilters(filters)
    sort = try RecordSort(request.query.sorts, type: type)
    let fingerprint = Self.fingerprint(of: request, call)
    self.fingerprint = fingerprint
    // Clients that write all their keys send an empty one with the first page.
    let marker = request.continuationMarker.flatMap { $0.isEmpty ? nil : $0 }
    start = try marker.map { marker throws(CloudError) in
      try RecordSort.Place(marker: marker, of: fingerprint)
    }
    limit = try ResultsLimit.count(request.resultsLimit, most: limits.recordsPerResponse)
  }

  /// Refuses a name that no type can have, and that is too long to be repeated.
  static func check(recordType name: String) throws(CloudError) {
    guard name.utf8.count > Limits.nameBytes else { return }
    throw CloudError(
      .badRequest,
      "The record type “\(name.asNameInSentence)” is longer than \(Limits.nameBytes) bytes.")
  }

  /// What stays the same from page to page: what is asked, and where.
  private static func fingerprint(of request: RecordsQueryRequest, _ call: Call) -> UInt32 {
    var asked = RecordsQueryRequest(query: request.query)
    asked.zoneWide = request.zone == nil && request.zoneWide
    if !asked.zoneWide {
      let zone = (request.zone ?? ZoneReference()).identifier(caller: call.callerName)
      asked.zone = ZoneReference(zoneName: zone.zoneName, ownerName: zone.ownerName)
    }
    var writer = JSONWriter(capacity: 256)
    asked.write(to: &writer)
    return Fingerprint.of(Array(call.scope.name.utf8) + writer.array())
  }

  /// Whether a record is part of the answer, for one who sees it.
  func includes(_ record: StoredRecord) -> Bool {
    record.recordType == recordType && passing.pass(record)
  }
}
