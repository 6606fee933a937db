import CloudKitClient
import CloudWire
import JSONCoding

/// A page of a zone's feed, as the server sent it, and three ways of reading it.
struct EncodedPage {
  private let bytes: [UInt8]
  private let coding = RecordCoding(currentUser: "_measured")

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Makes the records of the API, as a fetch does; gives how many.
  func decode() throws -> Int {
    let answer = try ChangesZoneResponse(answer: bytes)
    var records: [CKRecord] = []
    for case .page(_, let page) in answer.zones {
      for case .record(let shown) in page.records { records.append(coding.record(shown.record)) }
    }
    return records.count
  }

  /// Reads all of it into plain values: parsing alone; gives how many members the outermost one
  /// has.
  func parse() throws -> Int {
    guard case .object(let members) = try JSONReader.read(bytes, JSONValue.init(from:)) else {
      return 0
    }
    return members.count
  }

  /// Checks that it is JSON, and makes nothing of it.
  func walk() throws {
    try JSONReader.read(bytes) { (reader) throws(JSONError) in try reader.skip() }
  }
}
