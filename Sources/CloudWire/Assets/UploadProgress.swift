package import JSONCoding

/// How much of a file has come to a server on which an upload can go on in another request.
///
/// It is Parhelion's addition to the protocol: addresses of uploads that can go on have the parameter `resumable`.
package struct UploadProgressResponse: WireAnswer, Hashable {
  /// Stands in the addresses of uploads that can go on.
  package static let mark = "&resumable=1"

  /// In bytes.
  package var received: Int64

  package init(received: Int64) { self.received = received }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("received")
    writer.int64(received)
    writer.endObject()
  }

  private enum Key: String, JSONKey {
    case received
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var received: Int64?
    var object = try reader.beginObject(Key.self)
    while try reader.nextKey(of: &object) != nil { received = try reader.int64OrText() }
    guard let received else { throw reader.missingKey(Key.received) }
    self.init(received: received)
  }
}
