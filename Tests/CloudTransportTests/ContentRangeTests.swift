import CloudTransport
import TestSupport
import Testing

@Suite("Content ranges")
struct ContentRangeTests {
  private static let good: [(String, Int64?, Int64?)] = [
    ("bytes 0-0/1", 0, 1), ("bytes 1000-1999/5000", 1000, 5000), ("Bytes 5-9/*", 5, nil),
    ("bytes */5000", nil, 5000),
  ]

  @Test(arguments: good)
  func `Ranges are parsed`(field: String, start: Int64?, total: Int64?) throws {
    let range = try #require(ContentRange(field))
    #expect(range.start == start && range.total == total)
  }

  private static let bad: [String?] = [
    nil, "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "bytes +1-2/10",
    "items 0-1/2",
    "bytes 0-1/2/3", "bytes 0-1/x", "bytes 0-99999999999999999999/*", "bytes /2",
  ]

  @Test(arguments: bad)
  func `Invalid ranges are refused`(field: String?) {
    #expect(ContentRange(field) == nil)
  }
}
