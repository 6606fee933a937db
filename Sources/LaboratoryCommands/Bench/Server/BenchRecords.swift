import Foundation

/// The records that benchmarks create: a kilobyte of values each, under random names.
enum BenchRecords {
  /// The bytes of a record's value.
  static let bytes = [UInt8](repeating: UInt8(ascii: "n"), count: 1_024)

  /// The length of a name, in bytes.
  static let bytesOfName = 36

  private static let title = "What was said that day"
  private static let text = String(
    String(repeating: "It was agreed that nothing more should be said about it. ", count: 20)
      .prefix(
        bytes.count - title.utf8.count - MemoryLayout<Int64>.size))

  /// Unique names.
  static func names(_ count: Int) -> [String] { (0..<count).map { _ in UUID().uuidString } }

  /// The body of a request that creates records.
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

  /// The number of occurrences of a text in bytes.
  static func occurrences(of text: String, in bytes: [UInt8]) -> Int {
    ByteSearch(text).count(in: bytes.span)
  }
}
