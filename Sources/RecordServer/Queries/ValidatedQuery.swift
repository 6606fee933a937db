import CloudRecords
import CloudSchema
import CloudWire
import JSONCoding

/// A query that was validated against the schema.
struct ValidatedQuery: Sendable {
  let recordType: String
  let filters: [RecordFilter]
  private let passing: RecordFilters
  let sort: RecordSort
  /// The place where the previous page ended.
  let start: RecordSort.Place?
  /// The maximum number of records per page.
  let limit: Int
  /// Distinguishes continuation markers of this query from others.
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
    let sort = try RecordSort(request.query.sorts, type: type)
    self.sort = sort
    let fingerprint = Self.fingerprint(of: request, call)
    self.fingerprint = fingerprint
    // Some clients send an empty marker with the first page.
    let marker = request.continuationMarker.flatMap { $0.isEmpty ? nil : $0 }
    start = try marker.map { marker throws(CloudError) in
      try RecordSort.Place(marker: marker, of: fingerprint, sortCount: sort.parts.count)
    }
    limit = try ResultsLimit.count(request.resultsLimit, most: limits.recordsPerResponse)
  }

  /// Throws if a record type name is too long.
  static func check(recordType name: String) throws(CloudError) {
    guard name.utf8.count > Limits.nameBytes else { return }
    throw CloudError(
      .badRequest,
      "The record type “\(name.asNameInSentence)” is longer than \(Limits.nameBytes) bytes.")
  }

  /// A hash of the parts of a query that stay the same from page to page.
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

  /// Whether a record matches; this does not check whether the caller may see it.
  func includes(_ record: StoredRecord) -> Bool {
    record.recordType == recordType && passing.pass(record)
  }
}
