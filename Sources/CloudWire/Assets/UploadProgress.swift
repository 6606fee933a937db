package import CloudRecords
package import JSONCoding

/// How much of a file has come to a server on which an upload can go on in another request.
///
/// It is Parhelion's addition to the protocol: addresses of uploads that can go on have the
/// parameter `resumable`.
package struct UploadProgressResponse: ClientResponse, Hashable {
  /// Stands in the addresses of uploads that can go on.
  package static let mark = "&resumable=1"

  /// In bytes.
  package var received: Int64
  /// The receipt of a file that has come whole; nil where the server has it not any more, or never
  /// had.
  package var asset: AssetValue?

  package init(received: Int64, asset: AssetValue? = nil) {
    self.received = received
    self.asset = asset
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("received")
    writer.int64(received)
    if let asset {
      writer.key("singleFile")
      writer.asset(asset)
    }
    writer.endObject()
  }

  private enum Key: String, JSONKey {
    case received, singleFile
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var (received, asset): (Int64?, AssetValue?) = (nil, nil)
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .received: received = try reader.int64OrText()
      case .singleFile:
        asset = try reader.optional { (reader) throws(JSONError) in try AssetValue(from: &reader) }
      }
    }
    guard let received else { throw reader.missingKey(Key.received) }
    self.init(received: received, asset: asset)
  }
}
