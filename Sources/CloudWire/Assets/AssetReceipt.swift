package import CloudRecords
package import JSONCoding

/// The response to an uploaded file.
package struct AssetReceiptResponse: ClientResponse, Hashable {
  package var asset: AssetValue

  package init(asset: AssetValue) { self.asset = asset }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("singleFile")
    writer.asset(asset)
    writer.endObject()
  }
  private enum Key: String, JSONKey {
    case singleFile
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var asset: AssetValue?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil { asset = try AssetValue(from: &reader) }
    guard let asset else { throw reader.missingKey(Key.singleFile) }
    self.init(asset: asset)
  }
}
