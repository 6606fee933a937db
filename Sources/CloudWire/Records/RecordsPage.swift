import CloudRecords
import JSONCoding

/// The members that responses with records have in common, in any order.
struct RecordsPage {
  var records: [RecordResult]
  var syncToken: String?
  var continuationMarker: String?
  var moreComing = false
  var reverse: Bool?

  private enum Key: String, JSONKey {
    case records, syncToken, continuationMarker, moreComing, reverse
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var records: [RecordResult]?
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .records: records = try RecordResult.list(&reader)
      case .syncToken: syncToken = try reader.optionalText()
      case .continuationMarker: continuationMarker = try reader.optionalText()
      case .moreComing: moreComing = try reader.optionalBool() ?? false
      case .reverse: reverse = try reader.optionalBool()
      }
    }
    guard let records else { throw reader.missingKey(Key.records) }
    self.records = records
  }
}
