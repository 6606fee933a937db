package import CloudRecords
package import JSONCoding

/// The received part of a file, on a server that can resume an upload.
///
/// It is an addition of Parhelion to the protocol: addresses of resumable uploads have the
/// parameter `resumable`.
package struct UploadProgressResponse: ClientResponse, Hashable {
  /// The parameter in the addresses of resumable uploads.
  package static let mark = "&resumable=1"

  /// The received bytes.
  package var received: Int64
  /// The receipt if the file is complete, or nil if it is not or if the server no longer has the
  /// receipt.
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
