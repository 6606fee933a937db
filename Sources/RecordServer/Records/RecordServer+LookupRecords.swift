package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `records/lookup`: fetches records by name, in the order in which they were asked for.
  package func lookUpRecords(
    _ request: RecordsLookupRequest, _ call: Call
  ) async throws(CloudError) -> RecordsLookupResponse {
    try limits.checkWanted(request.records.count)
    let server = self
    return try await read(call.scope == .private ? call.callerName : nil) { transaction in
      let lookup = RecordLookup(request, call, server, transaction)
      return RecordsLookupResponse(records: try lookup.run(), syncToken: lookup.syncToken)
    }
  }
}

/// A request for records by name, in its transaction.
private final class RecordLookup {
  private let request: RecordsLookupRequest
  private let call: Call
  private let server: RecordServer
  private let transaction: any StorageReading
  private var zones: [RecordZoneIdentifier: Result<ZoneReader, CloudError>] = [:]
  private var names = NameSets()

  init(
    _ request: RecordsLookupRequest, _ call: Call, _ server: RecordServer, _ transaction: any StorageReading
  ) {
    self.request = request
    self.call = call
    self.server = server
    self.transaction = transaction
  }

  func run() throws -> [RecordResult] {
    let places = request.records.map { wanted in
      (wanted.zone ?? request.zone ?? ZoneReference()).identifier(caller: call.callerName)
    }
    for place in Set(places).sorted() { zones[place] = try open(place) }
    for (place, zone) in zones {
      guard case .success(let reader) = zone else { continue }
      try reader.draft.load(zip(places, request.records).filter { $0.0 == place }.map(\.1.recordName))
    }
    return try zip(places, request.records).map { place, wanted in
      switch zones[place] {
      case .success(let reader)?: try result(wanted, in: reader)
      case .failure(let error)?: .failed(recordName: wanted.recordName, error)
      case nil: .failed(recordName: wanted.recordName, ZoneFinder.notFound(place))
      }
    }
  }

  /// The end of the feed of the one zone that was asked.
  var syncToken: String? {
    guard zones.count == 1, case .success(let reader)? = zones.values.first else { return nil }
    return reader.access.wantedToken(for: call)
  }

  private func open(_ zone: RecordZoneIdentifier) throws -> Result<ZoneReader, CloudError> {
    do {
      return .success(try ZoneReader(zone, call, server, transaction))
    } catch let error as CloudError {
      return .failure(error)
    }
  }

  private func result(_ wanted: RecordsLookupRequest.Wanted, in reader: ZoneReader) throws -> RecordResult {
    guard let record = try reader.draft.record(wanted.recordName), reader.shows(record) else {
      return .failed(
        recordName: wanted.recordName,
        CloudError(
          .notFound, "There is no record “\(wanted.recordName)” in the zone “\(reader.access.identifier.zoneName)”."))
    }
    let keys = names.set(of: wanted.desiredKeys ?? request.desiredKeys)
    return reader.view(keys, numbersAsStrings: request.numbersAsStrings).result(of: record)
  }
}
