import Compression
import Foundation
import TestSupport
import Testing

@Suite struct `Raw DEFLATE` {
  @Test func `Compressed bytes inflate to the original at every level`() throws {
    var random = SeededGenerator.forTest()
    for round in 0..<40 {
      let data = randomData(&random)
      let deflated = try RawDeflate.deflate(data, level: round % 10)
      let inflated = try RawDeflate.inflate(deflated, maximumOutputBytes: data.count)
      #expect(inflated == data, "\(random)")
    }
  }

  @Test func `The same input gives the same bytes`() throws {
    let data = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 * $0) })
    #expect(try RawDeflate.deflate(data) == RawDeflate.deflate(data))
  }

  @Test func `A stream that was written by hand inflates`() throws {
    // A stored block: last, length 5, its complement, and the text.
    let stream = Data([0x01, 0x05, 0x00, 0xFA, 0xFF] + Array("hello".utf8))
    #expect(try RawDeflate.inflate(stream, maximumOutputBytes: 5) == Data("hello".utf8))
  }

  @Test func `Every truncation is an error`() throws {
    let deflated = try RawDeflate.deflate(Data("the quick brown fox the quick brown fox".utf8))
    for count in 0..<deflated.count {
      let error = #expect(throws: CompressionError.self) {
        try RawDeflate.inflate(deflated.prefix(count), maximumOutputBytes: 100)
      }
      #expect(error?.code == .truncated, "\(count) bytes")
    }
  }

  @Test func `A stream without its last byte is truncated`() throws {
    let deflated = try RawDeflate.deflate(Data(count: 1000))
    let error = #expect(throws: CompressionError.self) {
      try RawDeflate.inflate(deflated.dropLast(), maximumOutputBytes: 1000)
    }
    #expect(error?.code == .truncated)
  }

  @Test func `Bytes after the stream are an error`() throws {
    let deflated = try RawDeflate.deflate(Data("text".utf8))
    let error = #expect(throws: CompressionError.self) {
      try RawDeflate.inflate(deflated + [0], maximumOutputBytes: 100)
    }
    #expect(error?.code == .trailingBytes)
    #expect(error?.inputOffset == deflated.count)
  }

  @Test func `A damaged stream is an error`() {
    let error = #expect(throws: CompressionError.self) {
      try RawDeflate.inflate(Data([0xFF, 0xFF, 0xFF]), maximumOutputBytes: 100)
    }
    #expect(error?.code == .corrupted)
  }

  @Test func `Changed bytes give an error or other bytes within the limit`() throws {
    var random = SeededGenerator.forTest()
    let data = randomData(&random)
    let deflated = try RawDeflate.deflate(data)
    for _ in 0..<300 {
      var changed = deflated
      changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
      let inflated = try? RawDeflate.inflate(changed, maximumOutputBytes: 1 << 20)
      #expect((inflated?.count ?? 0) <= 1 << 20, "\(random)")
    }
  }

  @Test func `A small stream that inflates beyond the limit is refused`() throws {
    let bomb = try RawDeflate.deflate(Data(count: 50_000_000))
    #expect(bomb.count < 60_000)
    let error = #expect(throws: CompressionError.self) {
      try RawDeflate.inflate(bomb, maximumOutputBytes: 1 << 20)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test(arguments: [1, 7, 4096]) func `A stream may arrive in pieces`(pieceBytes: Int) throws {
    let data = Array("abcabcabcabd".utf8) + (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var deflater = try Deflater()
    var deflated: [UInt8] = []
    for start in stride(from: 0, to: data.count, by: pieceBytes) {
      try deflater.append(Array(data[start..<min(start + pieceBytes, data.count)]), to: &deflated)
    }
    try deflater.finish(to: &deflated)
    var inflater = try Inflater(maximumOutputBytes: data.count)
    var inflated: [UInt8] = []
    for start in stride(from: 0, to: deflated.count, by: pieceBytes) {
      try inflater.append(
        Array(deflated[start..<min(start + pieceBytes, deflated.count)]), to: &inflated)
    }
    let isAtEnd = inflater.isAtEnd
    #expect(isAtEnd)
    try inflater.finish()
    #expect(inflated == data)
  }

  /// Up to 200 kB of alternating runs and noise.
  private func randomData(_ random: inout SeededGenerator) -> Data {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      let count = Int.random(in: 0...5000, using: &random)
      if Bool.random(using: &random) {
        bytes += Array(repeating: UInt8.random(in: 0...255, using: &random), count: count)
      } else {
        bytes += (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
    }
    return Data(bytes + [7])
  }
}
