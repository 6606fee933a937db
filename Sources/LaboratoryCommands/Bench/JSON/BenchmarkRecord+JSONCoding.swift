import JSONCoding

// A small version of the server's coding of records.
extension BenchmarkRecord {
  static func read(_ bytes: [UInt8]) throws(JSONError) -> [BenchmarkRecord] {
    try JSONReader.read(bytes) { reader throws(JSONError) in
      var records: [BenchmarkRecord] = []
      var object = try reader.beginObject(ResponseKey.self)
      while try reader.nextKey(of: &object) != nil {
        try reader.beginArray()
        while try reader.nextElement() { records.append(try BenchmarkRecord(from: &reader)) }
      }
      return records
    }
  }

  private init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(RecordKey.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: recordName = try reader.string()
      case .recordType: recordType = try reader.string()
      case .recordChangeTag: recordChangeTag = try reader.string()
      case .created: created = try Self.readTimestamp(from: &reader)
      case .modified: modified = try Self.readTimestamp(from: &reader)
      case .deleted: isDeleted = try reader.bool()
      case .fields: fields = try Self.readFields(from: &reader)
      }
    }
  }

  private static func readTimestamp(from reader: inout JSONReader) throws(JSONError) -> Int64 {
    var timestamp: Int64 = 0
    var object = try reader.beginObject(ActionKey.self)
    while try reader.nextKey(of: &object) != nil { timestamp = try reader.int64() }
    return timestamp
  }

  private static func readFields(from reader: inout JSONReader) throws(JSONError) -> [String:
    FieldValue]
  {
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(12)
    try reader.beginObject()
    while let name = try reader.nextKey() {
      let value = try FieldValue(from: &reader)
      guard fields.updateValue(value, forKey: name) == nil else { throw reader.duplicateKey() }
    }
    return fields
  }

  static func write(_ records: [BenchmarkRecord], to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("records")
    writer.beginArray()
    for record in records { record.write(to: &writer) }
    writer.endArray()
    writer.endObject()
  }

  private func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("recordName")
    writer.string(recordName)
    writer.key("recordType")
    writer.string(recordType)
    writer.key("recordChangeTag")
    writer.string(recordChangeTag)
    writer.key("created")
    Self.write(timestamp: created, to: &writer)
    writer.key("modified")
    Self.write(timestamp: modified, to: &writer)
    writer.key("deleted")
    writer.bool(isDeleted)
    writer.key("fields")
    writer.beginObject()
    for (name, value) in fields {
      writer.key(text: name)
      value.write(to: &writer)
    }
    writer.endObject()
    writer.endObject()
  }

  private static func write(timestamp: Int64, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("timestamp")
    writer.int64(timestamp)
    writer.endObject()
  }
}

// MARK: - Fields

extension BenchmarkRecord.FieldValue {
  /// Reads a field whose type may precede or follow its value.
  fileprivate init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(FieldKey.self)
    var (place, tag): (JSONReader.SavedPosition?, TypeTag?)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .value: place = try reader.skipForLater()
      case .type:
        tag = try reader.word(TypeTag.self)
        if tag == nil { throw reader.invalidValue("an unknown type") }
      }
    }
    guard let place else { throw reader.missingKey(FieldKey.value) }
    guard let tag else { throw reader.missingKey(FieldKey.type) }
    self = try reader.read(place) { reader throws(JSONError) in try Self.read(tag, from: &reader) }
  }

  private static func read(_ tag: TypeTag, from reader: inout JSONReader) throws(JSONError) -> Self
  {
    switch tag {
    case .string: return .string(try reader.string())
    case .int64: return .int64(try reader.int64())
    case .double: return .double(try reader.double())
    case .timestamp: return .timestamp(try reader.int64())
    case .bytes: return .bytes(try reader.base64())
    case .stringList:
      var texts: [String] = []
      try reader.beginArray()
      while try reader.nextElement() { texts.append(try reader.string()) }
      return .texts(texts)
    }
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("value")
    switch self {
    case .string(let text): writer.string(text)
    case .int64(let integer), .timestamp(let integer): writer.int64(integer)
    case .double(let double): writer.double(double)
    case .bytes(let bytes): writer.base64(bytes.span)
    case .texts(let texts):
      writer.beginArray()
      for text in texts { writer.string(text) }
      writer.endArray()
    }
    writer.key("type")
    writer.string(tag.rawValue)
    writer.endObject()
  }
}

// MARK: - Keys

private enum ResponseKey: String, JSONKey {
  case records
  static let table = JSONKeyTable<Self>()
}

private enum RecordKey: String, JSONKey {
  case recordName, recordType, recordChangeTag, created, modified, deleted, fields
  static let table = JSONKeyTable<Self>()
}

private enum ActionKey: String, JSONKey {
  case timestamp
  static let table = JSONKeyTable<Self>()
}

private enum FieldKey: String, JSONKey {
  case value, type
  static let table = JSONKeyTable<Self>()
}
