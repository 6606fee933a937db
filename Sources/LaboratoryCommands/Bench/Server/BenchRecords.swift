import Foundation

/// The records that are pushed: a kilobyte of values each, under random names.
enum BenchRecords {
  /// What one record's values are in bytes.
  static let bytes = [UInt8](repeating: UInt8(ascii: "n"), count: 1_024)

  /// The bytes of a name.
  static let bytesOfName = 36

  private static let title = "What was said that day"
  private static let text = String(
    String(repeating: "It was agreed that nothing more should be said about it. ", count: 20)
      .prefix(
        bytes.count - title.utf8.count - MemoryLayout<Int64>.size))

  /// Names that nobody else has.
  static func names(_ count: Int) -> [String] { (0..<count).map { _ in UUID().uuidString } }

  /// The body of a request that makes records.
  static func creation(of names: [String], in zone: String) -> String {
    var body = #"{"zoneID":{"zoneName":"\#(zone)"},"operations":["#
    body.reserveCapacity(names.count * 1_300)
    for (index, name) in names.enumerated() {
      if index > 0 { body += "," }
      body +=
        #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{"title":{"value":""#
      body += title
      body += #""},"text":{"value":""#
      body += text
      body += #""},"number":{"value":\#(index)}}}}"#
    }
    return body + "]}"
  }

  /// How often a text is within bytes.
  static func occurrences(of text: String, in bytes: [UInt8]) -> Int {
    ByteSearch(text).count(in: bytes.span)
  }
}
