package import JSONCoding

/// `zones/modify`: creates and deletes zones.
package struct ZonesModifyRequest: DatabaseRequest, Hashable {
  package typealias Response = ZonesResponse
  package static let endpoint = Endpoint.zonesModify

  package struct Operation: Hashable, Sendable {
    package enum Kind: String, JSONKey {
      case create, delete
      package static let table = JSONKeyTable<Kind>()
    }

    package var kind: Kind
    package var zone: ZoneReference

    package init(_ kind: Kind, _ zone: ZoneReference) {
      self.kind = kind
      self.zone = zone
    }
  }

  package var operations: [Operation]

  package init(operations: [Operation]) { self.operations = operations }
}

// MARK: - Coding

extension ZonesModifyRequest {
  private enum Key: String, JSONKey {
    case operations
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      operations: try reader.list(under: Key.operations) { (reader) throws(JSONError) in
        try Operation(from: &reader)
      })
  }
}

extension ZonesModifyRequest {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("operations")
    writer.beginArray()
    for operation in operations {
      writer.beginObject()
      writer.text("operationType", operation.kind.rawValue)
      writer.key("zone")
      writer.beginObject()
      writer.zone("zoneID", ifPresent: operation.zone)
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension ZonesModifyRequest.Operation {
  private enum Key: String, JSONKey {
    case operationType, zone
    static let table = JSONKeyTable<Key>()
  }

  private enum ZoneKey: String, JSONKey {
    case zoneID
    static let table = JSONKeyTable<ZoneKey>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var (kind, zone): (Kind?, ZoneReference?) = (nil, nil)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .operationType:
        kind = try reader.word(Kind.self)
        if kind == nil { throw reader.invalidValue("expected create or delete") }
      case .zone:
        var wrapper = try reader.beginObject(ZoneKey.self)
        while try reader.nextKey(of: &wrapper) != nil { zone = try ZoneReference(from: &reader) }
      }
    }
    guard let kind else { throw reader.missingKey(Key.operationType) }
    guard let zone else { throw reader.missingKey(ZoneKey.zoneID) }
    self.init(kind, zone)
  }
}
