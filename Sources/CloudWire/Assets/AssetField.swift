import JSONCoding

/// A field of a record that will have a file as its value.
package struct AssetField: Hashable, Sendable {
  package var recordName: String?
  package var recordType: String?
  package var fieldName: String

  private enum Key: String, JSONKey {
    case recordName, recordType, fieldName
    static let table = JSONKeyTable<Key>()
  }

  package init(recordName: String?, recordType: String?, fieldName: String) {
    self.recordName = recordName
    self.recordType = recordType
    self.fieldName = fieldName
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var name: String?
    self.init(recordName: nil, recordType: nil, fieldName: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .recordName: recordName = try reader.optionalText()
      case .recordType: recordType = try reader.optionalText()
      case .fieldName: name = try reader.string()
      }
    }
    guard let name else { throw reader.missingKey(Key.fieldName) }
    fieldName = name
  }
}

extension JSONWriter {
  mutating func assetFields(_ key: StaticString, _ fields: [AssetField]) {
    self.key(key)
    beginArray()
    for field in fields {
      beginObject()
      text("recordName", ifPresent: field.recordName)
      text("recordType", ifPresent: field.recordType)
      text("fieldName", field.fieldName)
      endObject()
    }
    endArray()
  }
}
