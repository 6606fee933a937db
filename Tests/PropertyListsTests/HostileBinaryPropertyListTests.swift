import PropertyLists
import TestSupport
import Testing

@Suite struct `Hostile binary property lists` {
  private func error(_ bytes: [UInt8], limits: PropertyListLimits = .standard) -> PropertyListError?
  {
    #expect(throws: PropertyListError.self) { try BinaryPropertyList.read(bytes, limits: limits) }
  }

  @Test func `Every truncation is an error`() throws {
    let bytes = try BinaryPropertyList.write(
      .dictionary(["a": .array([.integer(1), .string("é"), .uid(3)]), "b": .data([1, 2])]))
    for count in 0..<bytes.count {
      #expect(throws: PropertyListError.self, "\(count) bytes") {
        try BinaryPropertyList.read(Array(bytes[..<count]))
      }
    }
  }

  @Test func `Changed bytes do not crash the reader`() throws {
    var random = SeededGenerator.forTest()
    for _ in 0..<300 {
      let values = (0..<4).map { _ in PropertyListSamples.random(&random, depth: 2) }
      let bytes = try BinaryPropertyList.write(.array(values))
      for _ in 0..<10 {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<changed.count, using: &random)
          changed[place] = UInt8.random(in: 0...255, using: &random)
        }
        _ = try? BinaryPropertyList.read(changed)
      }
    }
  }

  @Test func `An array that contains itself is a cycle`() {
    let bytes = RawFile(objects: [[0xA1, 0]]).bytes
    #expect(error(bytes)?.code == .cycle)
    #expect(error(bytes)?.offset == 9)
  }

  @Test func `Two arrays that contain each other are a cycle`() {
    #expect(error(RawFile(objects: [[0xA1, 1], [0xA1, 0]]).bytes)?.code == .cycle)
  }

  @Test func `A hundred thousand nested arrays are too deep`() {
    let count = 100_000
    let objects = (0..<count).map { index -> [UInt8] in
      let next = min(index + 1, count)
      return [0xA1, UInt8(next >> 16), UInt8(next >> 8 & 0xFF), UInt8(next & 0xFF)]
    }
    let bytes = RawFile(objects: objects + [[0x09]], offsetBytes: 4, referenceBytes: 3).bytes
    #expect(error(bytes)?.code == .limit)
  }

  @Test func `Sharing that expands to too many values is refused`() {
    // Each array holds the next one twice: 2⁶⁰ values in 61 objects.
    let arrays: [[UInt8]] = (1...60).map { [0xA2, $0, $0] }
    let objects = arrays + [[0x09]]
    #expect(error(RawFile(objects: objects).bytes)?.code == .limit)
  }

  @Test func `Objects may not overlap`() {
    // Two entries of the offset table name the same data.
    var file = RawFile(objects: [[0xA2, 1, 2], [0x43, 1, 2, 3]])
    file.offsets.append(file.offsets[1])
    #expect(error(file.bytes)?.code == .outOfBounds)
  }

  @Test func `A duplicate key is an error`() {
    let file = RawFile(objects: [[0xD2, 1, 2, 3, 3], [0x51, 0x61], [0x51, 0x61], [0x09]])
    #expect(error(file.bytes)?.code == .duplicateKey)
    #expect(error(file.bytes)?.message.contains("“a”") == true)
  }

  @Test(
    arguments: [
      ([[0x13]], PropertyListError.Code.outOfBounds),
      ([[0x15, 0]], .malformed),
      ([[0x21, 0, 0]], .malformed),
      ([[0x70]], .malformed),
      ([[0x52, 0x61, 0xE9]], .malformed),
      ([[0x61, 0xD8, 0x00]], .malformed),
      ([[0xA1, 7]], .outOfBounds),
      ([[0xD1, 1, 1], [0x09]], .malformed),
      ([[0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .outOfBounds),
      ([[0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .outOfBounds),
      ([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .outOfBounds),
      ([[0x6F, 0x13, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]], .outOfBounds),
      ([[0x4F, 0x09]], .malformed),
      ([[0x4F]], .malformed),
      ([[0x4F, 0x12, 0]], .outOfBounds),
    ] as [([[UInt8]], PropertyListError.Code)])
  func `A malformed object is reported at its offset`(
    objects: [[UInt8]], code: PropertyListError.Code
  ) {
    let found = error(RawFile(objects: objects).bytes)
    #expect(found?.code == code)
    #expect(found?.offset != nil)
  }

  @Test func `A trailer with excessive counts is an error`() {
    let bytes = RawFile(objects: [[0x09]]).bytes
    for (position, value) in [
      (6, 0), (6, 9), (7, 0), (8, 0x80), (8, 0x7F), (15, 2), (16, 1), (23, 1), (24, 1), (31, 0),
    ] {
      var changed = bytes
      changed[bytes.count - 32 + position] = UInt8(value)
      #expect(throws: PropertyListError.self, "byte \(position) = \(value)") {
        try BinaryPropertyList.read(changed)
      }
    }
  }

  @Test func `Bytes between the parts are an error`() {
    let bytes = RawFile(objects: [[0x09]]).bytes
    #expect(error(bytes + [0])?.code != nil)
    #expect(error(Array(bytes[..<10]) + [0] + bytes[10...])?.code == .outOfBounds)
  }

  @Test func `A file over the limit is not read`() throws {
    var limits = PropertyListLimits()
    limits.maximumBytes = 100
    let bytes = try BinaryPropertyList.write(.data(Array(repeating: 1, count: 200)))
    #expect(error(bytes, limits: limits)?.code == .limit)
  }
}

/// A binary property list written by hand.
private struct RawFile {
  var objects: [[UInt8]]
  var offsets: [Int]
  var offsetBytes = 1
  var referenceBytes = 1

  init(objects: [[UInt8]], offsetBytes: Int = 1, referenceBytes: Int = 1) {
    self.objects = objects
    self.offsetBytes = offsetBytes
    self.referenceBytes = referenceBytes
    offsets = []
    var offset = 8
    for object in objects {
      offsets.append(offset)
      offset += object.count
    }
  }

  var bytes: [UInt8] {
    let body = Array("bplist00".utf8) + objects.flatMap { $0 }
    let table = offsets.flatMap { offset in
      (0..<offsetBytes).map { UInt8(truncatingIfNeeded: offset >> (8 * (offsetBytes - 1 - $0))) }
    }
    let numbers = [offsets.count, 0, body.count].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0))) }
    }
    return body + table + [0, 0, 0, 0, 0, 0, UInt8(offsetBytes), UInt8(referenceBytes)] + numbers
  }
}
