package import JSONCoding

/// `keyBags/modify`: replaces bags that a client has fetched, or resets a zone whose keys were
/// lost.
///
///     {"operations": [{"operationType": "save", "bag": {
///       "bagType": "ZONE", "zoneID": {"zoneName": "Notes"}, "generation": 3, "data": "…"}}]}
///
/// `sealingKeys` of a zone's or share's bag names the keys that may seal values from now on.
/// `generation` is that of the fetched bag, or 0 if there was none. If two clients rotate keys at
/// the same time, one of them gets a conflict and loses nothing.
package struct KeyBagsModifyRequest: DatabaseRequest, Hashable {
  package typealias Response = KeyBagsResponse
  package static let endpoint = Endpoint.keyBagsModify

  package struct Operation: Hashable, Sendable {
    package enum Kind: String, JSONKey {
      case save, reset
      package static let table = JSONKeyTable<Kind>()
    }

    package var kind: Kind
    package var place: KeyBagPlace
    /// The generation of the bag that is replaced.
    package var generation: Int64
    package var data: [UInt8]
    /// The identifiers of the keys in the bag that may seal values; empty for no restriction.
    ///
    /// The server rejects values under other keys, which a removed person may have.
    package var sealingKeys: [[UInt8]]

    package init(
      _ kind: Kind, _ place: KeyBagPlace, generation: Int64 = 0, data: [UInt8] = [],
      sealingKeys: [[UInt8]] = []
    ) {
      self.kind = kind
      self.place = place
      self.generation = generation
      self.data = data
      self.sealingKeys = sealingKeys
    }
  }

  package var operations: [Operation]

  package init(operations: [Operation]) { self.operations = operations }
}

// MARK: - Coding

extension KeyBagsModifyRequest {
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

extension KeyBagsModifyRequest {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("operations")
    writer.beginArray()
    for operation in operations {
      writer.beginObject()
      writer.text("operationType", operation.kind.rawValue)
      writer.key("bag")
      writer.beginObject()
      writer.place(operation.place)
      writer.number("generation", operation.generation)
      writer.key("data")
      writer.base64(operation.data.span)
      if !operation.sealingKeys.isEmpty {
        writer.key("sealingKeys")
        writer.beginArray()
        for key in operation.sealingKeys { writer.base64(key.span) }
        writer.endArray()
      }
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}

extension KeyBagsModifyRequest.Operation {
  private enum Key: String, JSONKey {
    case operationType, bag
    static let table = JSONKeyTable<Key>()
  }

  private enum BagKey: String, JSONKey {
    case bagType, zoneID, shareName, userRecordName, generation, data, sealingKeys
    static let table = JSONKeyTable<BagKey>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var kind: Kind?
    var bag: Self?
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .operationType:
        kind = try reader.word(Kind.self)
        if kind == nil { throw reader.invalidValue("expected save or reset") }
      case .bag: bag = try Self(bag: &reader)
      }
    }
    guard let kind else { throw reader.missingKey(Key.operationType) }
    guard var bag else { throw reader.missingKey(Key.bag) }
    bag.kind = kind
    self = bag
  }

  private init(bag reader: inout JSONReader) throws(JSONError) {
    var members = KeyBagPlaceMembers()
    var (generation, data, sealingKeys): (Int64, [UInt8], [[UInt8]]) = (0, [], [])
    var object = try reader.beginObject(BagKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .generation: generation = try reader.int64OrText()
      case .data: data = try reader.base64()
      case .sealingKeys:
        sealingKeys = try reader.list { (reader) throws(JSONError) in try reader.base64() }
      case .bagType: try members.read(.bagType, from: &reader)
      case .zoneID: try members.read(.zoneID, from: &reader)
      case .shareName: try members.read(.shareName, from: &reader)
      case .userRecordName: try members.read(.userRecordName, from: &reader)
      }
    }
    self.init(
      .save, try members.place(&reader), generation: generation, data: data,
      sealingKeys: sealingKeys)
  }
}
