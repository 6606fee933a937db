import CloudKitClient
import CloudWire
import JSONCoding

/// A page of a zone's feed, as the server sent it, and three ways to read it.
struct EncodedPage {
  private let bytes: [UInt8]
  private let coding = RecordCoding(currentUser: "_measured")

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Decodes the API's records, as a fetch does, and returns their number.
  func decode() throws -> Int {
    let answer = try ChangesZoneResponse(answer: bytes)
    var records: [CKRecord] = []
    for case .page(_, let page) in answer.zones {
      for case .record(let shown) in page.records { records.append(coding.record(shown.record)) }
    }
    return records.count
  }

  /// Parses the page into plain values, and returns the number of top-level members.
  func parse() throws -> Int {
    guard case .object(let members) = try JSONReader.read(bytes, JSONValue.init(from:)) else {
      return 0
    }
    return members.count
  }

  /// Validates the JSON without creating values.
  func walk() throws {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in try reader.skip() }
  }
}
