import BinaryCoding
import CloudRecords
import CloudWire
import JSONCoding
import RecordStorage

extension RecordServer {
  /// `records/lookup`: fetches records by name, in the requested order.
  func lookUpRecords(
    _ request: RecordsLookupRequest, _ call: Call
  ) async throws(CloudError) -> EncodedResponse {
    try limits.checkWanted(request.records.count)
    let server = self
    return try await read(call.scope == .private ? call.callerName : nil) { transaction in
      try RecordLookup(request, call, server, transaction).run()
    }
  }
}

/// A lookup of records by name, in its transaction.
///
/// Each record is read once, even if it is named several times. It is encoded directly from the
/// storage, so that a response that is too long is abandoned early.
private final class RecordLookup {
  private typealias Wanted = RecordsLookupRequest.Wanted

  private let request: RecordsLookupRequest
  private let call: Call
  private let server: RecordServer
  private let transaction: any StorageReading
  private var names: NameSets
  private var measure: ResponseSize
  private var writer = JSONWriter(capacity: 1024)
  /// The encoded result of each requested record.
  private var encodedResults: [Wanted: [UInt8]] = [:]

  init(
    _ request: RecordsLookupRequest, _ call: Call, _ server: RecordServer,
    _ transaction: any StorageReading
  ) {
    self.request = request
    self.call = call
    self.server = server
    self.transaction = transaction
    names = NameSets(ofAll: request.desiredKeys)
    measure = ResponseSize(server.limits)
  }

  func run() throws -> EncodedResponse {
    var seen: Set<Wanted> = []
    let distinct = request.records.filter { seen.insert($0).inserted }
    let zones = Dictionary(grouping: distinct) { wanted in
      (wanted.zone ?? request.zone ?? ZoneReference()).identifier(caller: call.callerName)
    }
    var syncToken: String?
    for (zone, wanted) in zones.sorted(by: { $0.key < $1.key }) {
      let reader = try look(for: wanted, in: zone)
      if zones.count == 1 { syncToken = reader?.access.wantedToken(for: call) }
    }
    return try answer(syncToken)
  }

  private func answer(_ syncToken: String?) throws(CloudError) -> EncodedResponse {
    var whole = ResponseSize(server.limits)
    for wanted in request.records { try whole.add(encodedResults[wanted]?.count ?? 0) }
    var answer = JSONWriter(capacity: 1024)
    RecordsModifyResponse.write(to: &answer, syncToken: syncToken) { writer in
      for wanted in request.records {
        if let bytes = encodedResults[wanted] { writer.raw(bytes.span) }
      }
    }
    return EncodedResponse(bytes: answer.array())
  }

  /// Looks up records of a zone, and adds their results.
  ///
  /// - Returns: The reader of the zone; nil if the caller has no access.
  private func look(for wanted: [Wanted], in zone: RecordZoneIdentifier) throws -> ZoneReader? {
    do {
      let reader = try ZoneReader(zone, call, server, transaction)
      try look(for: wanted, reader)
      return reader
    } catch let error as CloudError where error.extension != .limitExceeded {
      for wanted in wanted { try add(.failed(recordName: wanted.recordName, error), wanted) }
      return nil
    }
  }

  private func look(for wanted: [Wanted], _ reader: ZoneReader) throws {
    var found: [(wanted: Wanted, position: UInt64)] = []
    let positions = try transaction.values(
      of: wanted.map { reader.access.keys.name($0.recordName) })
    for (wanted, bytes) in zip(wanted, positions) {
      guard let bytes else {
        try addMissing(wanted, reader)
        continue
      }
      var form = BinaryReader(bytes)
      found.append((wanted, try form.number()))
    }
    try transaction.visitValues(of: found.map { reader.access.keys.entry(at: $0.position) }) {
      place, value in
      let (wanted, position) = found[place]
      guard let value else {
        throw BinaryCodingError(reason: "a record is not at its position", offset: 0)
      }
      let entry = try StoredEntry(bytes: Array(copying: value)).settled(at: position)
      guard case .record(let record) = entry, reader.shows(record) else {
        return try addMissing(wanted, reader)
      }
      let keys = names.set(of: wanted.desiredKeys)
      try add(
        reader.view(keys, numbersAsStrings: request.numbersAsStrings).result(of: record), wanted)
    }
  }

  private func addMissing(_ wanted: Wanted, _ reader: ZoneReader) throws(CloudError) {
    let error = CloudError(
      .notFound,
      "There is no record “\(wanted.recordName.asNameInSentence)” in the zone “\(reader.access.identifier.zoneName)”."
    )
    try add(.failed(recordName: wanted.recordName, error), wanted)
  }

  private func add(_ result: RecordResult, _ wanted: Wanted) throws(CloudError) {
    writer.removeAll()
    writer.result(result)
    try measure.add(writer.count)
    encodedResults[wanted] = writer.array()
  }
}
