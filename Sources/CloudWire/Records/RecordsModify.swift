import CloudRecords
package import JSONCoding

/// `records/modify`: saves and deletes records.
package struct RecordsModifyRequest: DatabaseRequest, Hashable {
  package typealias Response = RecordsModifyResponse
  package static let endpoint = Endpoint.recordsModify

  package var operations: [RecordOperation] = []
  package var zone: ZoneReference?
  /// Whether all operations succeed or none, or nil to let the zone's kind decide.
  package var atomic: Bool?
  package var desiredKeys: [String]?
  package var numbersAsStrings = false
  /// The position in the zone's feed that the client had read when it created the request (an
  /// addition of Parhelion).
  ///
  /// The server does not create records whose names were deleted after this position, and stores a
  /// tombstone for a forced deletion even if the record is missing. So a delayed copy of a request
  /// cannot restore a record that was deleted meanwhile. Other servers ignore the member.
  package var syncToken: String?

  package init() {}
}

/// One operation on one record.
package struct RecordOperation: Hashable, Sendable {
  package enum Kind: String, JSONKey {
    case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
    package static let table = JSONKeyTable<Kind>()
  }

  package var kind: Kind
  package var record: RecordInput
  package var desiredKeys: [String]?
  package var numbersAsStrings: Bool?
  /// The generation of the user's public key bag whose keys sealed the record's values (an addition
  /// of Parhelion).
  ///
  /// If the user has newer keys, the operation fails with `KEYS_REPLACED`, because no device could
  /// open the values.
  package var keyGeneration: Int64?

  package init(_ kind: Kind, _ record: RecordInput) {
    self.kind = kind
    self.record = record
  }
}

package struct RecordsModifyResponse: ClientResponse, Hashable {
  package var records: [RecordResult]
  package var syncToken: String?

  package init(records: [RecordResult], syncToken: String? = nil) {
    self.records = records
    self.syncToken = syncToken
  }

  package func write(to writer: inout JSONWriter) {
    Self.write(to: &writer, syncToken: syncToken) { writer in
      for result in records { writer.result(result) }
    }
  }

  /// Writes a response whose results are created one at a time and not kept.
  ///
  /// - Parameter results: Writes each result.
  package static func write(
    to writer: inout JSONWriter, syncToken: String?, results: (inout JSONWriter) -> Void
  ) {
    writer.beginObject()
    writer.key("records")
    writer.beginArray()
    results(&writer)
    writer.endArray()
    writer.text("syncToken", ifPresent: syncToken)
    writer.endObject()
  }
}

// MARK: - Coding

extension RecordsModifyRequest {
  private enum Key: String, JSONKey {
    case operations, zoneID, atomic, desiredKeys, numbersAsStrings, numberAsStrings, syncToken
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
    var isGiven = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .operations:
        operations = try reader.list(most: Limits.itemsOfRequest) { (reader) throws(JSONError) in
          try RecordOperation(from: &reader)
        }
        isGiven = true
      case .zoneID:
        zone = try reader.optional { (reader) throws(JSONError) in try ZoneReference(from: &reader)
        }
      case .atomic: atomic = try reader.optionalBool()
      case .desiredKeys: desiredKeys = try reader.optionalTexts()
      case .numbersAsStrings, .numberAsStrings:
        numbersAsStrings = try reader.optionalBool() ?? false
      case .syncToken: syncToken = try reader.optionalText()
      }
    }
    if !isGiven { throw reader.missingKey(Key.operations) }
  }
}

extension RecordsModifyRequest {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("operations")
    writer.beginArray()
    for operation in operations { writer.operation(operation) }
    writer.endArray()
    writer.zone("zoneID", ifPresent: zone)
    if let atomic { writer.bool("atomic", atomic) }
    writer.texts("desiredKeys", ifPresent: desiredKeys)
    if numbersAsStrings { writer.bool("numbersAsStrings", true) }
    writer.text("syncToken", ifPresent: syncToken)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func operation(_ operation: RecordOperation) {
    beginObject()
    text("operationType", operation.kind.rawValue)
    key("record")
    record(operation.record)
    texts("desiredKeys", ifPresent: operation.desiredKeys)
    if let asStrings = operation.numbersAsStrings { bool("numbersAsStrings", asStrings) }
    if let generation = operation.keyGeneration { number("keyGeneration", generation) }
    endObject()
  }
}

extension RecordOperation {
  private enum Key: String, JSONKey {
    case operationType, record, desiredKeys, numbersAsStrings, keyGeneration
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var (kind, record): (Kind?, RecordInput?) = (nil, nil)
    var keys: [String]?
    var asStrings: Bool?
    var generation: Int64?
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .operationType:
        kind = try reader.word(Kind.self)
        if kind == nil {
          throw reader.invalidValue(
            "expected create, update, forceUpdate, replace, forceReplace, delete or forceDelete")
        }
      case .record: record = try RecordInput(from: &reader)
      case .desiredKeys: keys = try reader.optionalTexts()
      case .numbersAsStrings: asStrings = try reader.optionalBool()
      case .keyGeneration:
        generation = try reader.optional { (reader) throws(JSONError) in try reader.int64() }
      }
    }
    guard let kind else { throw reader.missingKey(Key.operationType) }
    guard let record else { throw reader.missingKey(Key.record) }
    self.init(kind, record)
    (desiredKeys, numbersAsStrings, keyGeneration) = (keys, asStrings, generation)
  }
}

extension RecordsModifyResponse {
  package init(from reader: inout JSONReader) throws(JSONError) {
    let page = try RecordsPage(from: &reader)
    self.init(records: page.records, syncToken: page.syncToken)
  }
}

extension JSONWriter {
  mutating func results(_ key: StaticString, _ results: [RecordResult]) {
    self.key(key)
    beginArray()
    for result in results { self.result(result) }
    endArray()
  }
}
