import Compression
import Foundation

/// Raw DEFLATE: hostile input stays within the output limit, and every input survives a round trip.
enum CompressionTarget: FuzzTarget {
  static let name = "compression"

  static func seeds() throws -> [[UInt8]] {
    let texts = [
      "", "a", String(repeating: "model ", count: 200),
      String((0..<200).map { Character(UnicodeScalar($0)) }),
    ]
    return try texts.flatMap { text in
      try [0, 1, 9].map { level in Array(try RawDeflate.deflate(Data(text.utf8), level: level)) }
    }
  }

  static func run(_ bytes: [UInt8]) {
    let bound = 1 << 20
    if let inflated = try? RawDeflate.inflate(Data(bytes), maximumOutputBytes: bound) {
      require(inflated.count <= bound, "more bytes than were allowed")
      checkRoundTrip(inflated)
    }
    checkRoundTrip(Data(bytes))
  }

  private static func checkRoundTrip(_ data: Data) {
    guard let deflated = try? RawDeflate.deflate(data) else { fail("the data cannot be deflated") }
    let inflated = try? RawDeflate.inflate(deflated, maximumOutputBytes: data.count)
    require(inflated == data, "the data changed on the way")
  }
}
