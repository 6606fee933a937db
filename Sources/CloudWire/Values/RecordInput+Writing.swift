import CloudRecords
import JSONCoding

extension JSONWriter {
  /// Writes a record in requests.
  mutating func record(_ record: RecordInput) {
    beginObject()
    text("recordName", ifPresent: record.recordName)
    text("recordType", ifPresent: record.recordType)
    text("recordChangeTag", ifPresent: record.recordChangeTag)
    zone("zoneID", ifPresent: record.zone)
    fields(record.fields)
    texts("desiredKeys", ifPresent: record.desiredKeys)
    links(of: record)
    sharing(of: record)
    if let device = record.deviceIdentifier {
      key("modified")
      beginObject()
      text("deviceID", device)
      endObject()
    }
    endObject()
  }

  private mutating func fields(_ fields: [RecordInput.NamedField]) {
    guard !fields.isEmpty else { return }
    key("fields")
    beginObject()
    for named in fields {
      key(text: named.name)
      field(named.field)
    }
    endObject()
  }

  /// Writes a field in requests.
  mutating func field(_ field: FieldInput) {
    beginObject()
    key("value")
    switch field.content {
    case .clear: null()
    case .stated(let value), .inferred(let value): self.value(value, FieldStyle())
    case .emptyList:
      beginArray()
      endArray()
    }
    if field.isOpaqueCiphertext {
      text("type", FieldTag.Word.ciphertext.rawValue)
    } else if case .stated(let value) = field.content {
      text("type", value.type.name)
    }
    if field.isEncrypted { bool("isEncrypted", true) }
    endObject()
  }

  private mutating func links(of record: RecordInput) {
    if record.createShortGUID { bool("createShortGUID", true) }
    switch record.parent {
    case .unchanged: break
    case .none:
      key("parent")
      null()
    case .record(let name):
      key("parent")
      beginObject()
      text("recordName", name)
      endObject()
    }
  }

  private mutating func sharing(of record: RecordInput) {
    if let root = record.root {
      key("forRecord")
      beginObject()
      text("recordName", root.recordName)
      text("recordChangeTag", ifPresent: root.recordChangeTag)
      endObject()
    }
    text("publicPermission", ifPresent: record.publicPermission?.name)
    requests(record.requests)
    guard let participants = record.participants else { return }
    key("participants")
    beginArray()
    for participant in participants { self.participant(participant) }
    endArray()
  }
}
