import CloudRecords
package import JSONCoding

extension KeyBagsResponse {
  private enum Key: String, JSONKey {
    case bags
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      items: try reader.list(under: Key.bags) { (reader) throws(JSONError) in
        try Item(from: &reader)
      }, caller: "")
  }
}

extension KeyBagsResponse.Item {
  /// Reads a bag.
  ///
  /// It requires the place, without which the rest has no meaning.
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    let start = try reader.savedPosition()
    var members = KeyBagPlaceMembers()
    var object = try reader.beginObject(KeyBagPlaceMembers.Key.self)
    while let key = try reader.nextKey(of: &object) { try members.read(key, from: &reader) }
    let place = try members.place(&reader)
    let result = try reader.read(start) { (reader) throws(JSONError) in
      try reader.oneItem { (reader) throws(JSONError) in
        try KeyBagResult(from: &reader)
      } failed: { _, error in
        .failed(error)
      }
    }
    self.init(place, result)
  }
}

extension KeyBagResult {
  private enum Key: String, JSONKey {
    case generation, modified, now, data, reset, serverErrorCode
    static let table = JSONKeyTable<Key>()
  }

  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var generation: Int64?
    var modified = Timestamp(milliseconds: 0)
    var now: Timestamp?
    var data: [UInt8]?
    var isReset = false
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .generation: generation = try reader.int64OrText()
      case .modified: modified = try FieldValue.timestamp(&reader)
      case .now: now = try FieldValue.timestamp(&reader)
      case .data: data = try reader.base64()
      case .reset: isReset = try reader.optionalBool() ?? false
      case .serverErrorCode: throw reader.itemIsError()
      }
    }
    if isReset {
      self = .reset
      return
    }
    guard let generation else { throw reader.missingKey(Key.generation) }
    self =
      data.map { .bag(generation: generation, modified: modified, data: $0, now: now) }
      ?? .saved(generation: generation, modified: modified)
  }
}
