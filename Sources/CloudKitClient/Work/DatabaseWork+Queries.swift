import CloudRecords
package import CloudWire
import Foundation
import PredicateLanguage

/// A query with the position of its next page.
struct QueryPosition: Sendable {
  var input: QueryInput
  /// The zone; nil for all zones of the database.
  var zoneID: CKRecordZone.ID?
  /// The continuation marker; nil for the first page.
  var marker: String?
}

extension DatabaseWork {
  /// Translates a query.
  func position(of query: CKQuery, in zoneID: CKRecordZone.ID?) async throws(CKError)
    -> QueryPosition
  {
    let coding = try await coding()
    do {
      return QueryPosition(input: try coding.input(query, in: zoneID ?? .default), zoneID: zoneID)
    } catch let error as CKError {
      throw error
    } catch {
      throw CKError(.invalidArguments, "The query cannot be translated: \(error)")
    }
  }

  /// Fetches one page of a query.
  ///
  /// - Parameter limit: The maximum number of records; nil for the server's page size.
  /// - Returns: The position of the next page; nil after the last one.
  func page(
    _ position: QueryPosition, desiredKeys: [CKRecord.FieldKey]?, limit: Int?,
    _ each: (CKRecord.ID, Result<CKRecord, CKError>) async -> Void
  ) async throws(CKError) -> QueryPosition? {
    let coding = try await coding()
    var request = RecordsQueryRequest(query: position.input)
    request.zone = position.zoneID.map { coding.reference($0) }
    request.zoneWide = position.zoneID == nil
    request.resultsLimit = limit
    request.continuationMarker = position.marker
    request.desiredKeys = desiredKeys
    let answer = try await call(request)
    guard position.marker == nil || answer.continuationMarker != position.marker else {
      throw .noProgress
    }
    let records = answer.records.map {
      (coding.recordID(of: $0, in: position.zoneID ?? .default), $0)
    }
    if let end = await fetchEach(records, coding, desiredKeys: desiredKeys, each) { throw end }
    guard let marker = answer.continuationMarker else { return nil }
    var next = position
    next.marker = marker
    return next
  }

  /// Fetches the pages of a query, up to a number of records.
  ///
  /// - Parameter limit: The maximum number of records; nil for one page of the server's size.
  /// - Returns: The position to continue from, nil after the last page; and the error, if fetching
  ///   the page at that position failed.
  func query(
    _ position: QueryPosition, desiredKeys: [CKRecord.FieldKey]?, limit: Int?,
    _ each: (CKRecord.ID, Result<CKRecord, CKError>) async -> Void
  ) async -> (next: QueryPosition?, failure: CKError?) {
    var position = position
    var count = 0
    while true {
      do throws(CKError) {
        try checkCancellation()
        var found = 0
        let rest = limit.map { $0 - count }
        let next = try await page(position, desiredKeys: desiredKeys, limit: rest) {
          recordID, result in
          found += 1
          await each(recordID, result)
        }
        count += found
        guard let next, limit.map({ count < $0 }) ?? false else { return (next, nil) }
        position = next
      } catch {
        return (position, error)
      }
    }
  }
}

extension RecordCoding {
  /// The ID of the record that a result is about.
  func recordID(of result: RecordResult, in zoneID: CKRecordZone.ID) -> CKRecord.ID {
    switch result {
    case .record(let shown): recordID(shown.record.identifier)
    case .deleted(let gone):
      CKRecord.ID(received: gone.recordName, zoneID: gone.zone.map { self.zoneID($0) } ?? zoneID)
    case .failed(let name, _): CKRecord.ID(received: name, zoneID: zoneID)
    }
  }

  /// A query in the form of a request.
  package func input(_ query: CKQuery, in zoneID: CKRecordZone.ID) throws -> QueryInput {
    let filters = try QueryTranslation.filters(of: query.predicate).map { filter in
      QueryInput.Filter(
        comparator: filter.comparator.rawValue, name: filter.name.input,
        value: try input(filter, in: zoneID),
        distance: filter.distance)
    }
    return QueryInput(recordType: query.recordType, filters: filters, sorts: try sorts(of: query))
  }

  private func input(_ filter: QueryFilter, in zoneID: CKRecordZone.ID) throws(CKError)
    -> FieldInput
  {
    try check(filter.value, of: filter.name)
    if let distance = filter.distance { try check(.double(distance), of: filter.name) }
    guard let value = value(filter.value, in: zoneID) else {
      throw CKError(
        .invalidArguments,
        "A query cannot compare assets. Store the value to search for in a separate field.")
    }
    if case .list(_, let members) = value, members.isEmpty { return FieldInput(.emptyList) }
    return FieldInput(.stated(value))
  }

  /// Throws if a value for a field cannot be transmitted.
  private func check(_ value: FieldContent, of name: QueryFilter.Name) throws(CKError) {
    guard let defect = value.defect else { return }
    throw CKError(.invalidArguments, "The query's value for the field \(name.text) \(defect).")
  }

  private func sorts(of query: CKQuery) throws(CKError) -> [QueryInput.Sort] {
    var sorts: [QueryInput.Sort] = []
    for descriptor in query.sortDescriptors ?? [] {
      let near = descriptor as? CKLocationSortDescriptor
      guard let key = near?.locationKey ?? descriptor.key, !key.contains(".") else {
        throw CKError(
          .invalidArguments,
          "The server sorts by the values of fields. Name a field in each sort descriptor.")
      }
      let position = near?.relativeLocation
      if let position { try check(.location(position), of: QueryFilter.Name(key)) }
      sorts.append(
        QueryInput.Sort(
          name: QueryFilter.Name(key).input, ascending: descriptor.ascending,
          relativeLocation: position.map { LocationValue($0) }))
    }
    return sorts
  }
}

extension QueryFilter.Name {
  /// The name in requests.
  fileprivate var input: QueryInput.FieldName {
    switch self {
    case .field(let name): .field(name)
    case .system(let field): .system(field.apiName)
    // A full-text search without a field searches all fields.
    case .everything: .field("")
    }
  }

  /// The name for messages.
  fileprivate var text: String {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    case .everything: "allTokens"
    }
  }
}
