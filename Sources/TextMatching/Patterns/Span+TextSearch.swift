import Foundation

extension Span where Element == UInt8 {
  /// Whether every byte is ASCII.
  var isASCII: Bool {
    var union: UInt8 = 0
    for index in indices { union |= self[index] }
    return union < 0x80
  }

  /// Whether the bytes are at the offset; false if they would extend beyond an end.
  func hasBytes(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, bytes.count <= count - offset else { return false }
    return unsafe withUnsafeBufferPointer { text in
      unsafe bytes.withUnsafeBufferPointer { wanted in
        guard let start = text.baseAddress, let wantedStart = wanted.baseAddress else {
          return wanted.isEmpty
        }
        return unsafe memcmp(start + offset, wantedStart, wanted.count) == 0
      }
    }
  }

  /// The first offset of the byte, starting from an offset.
  func firstOffset(of byte: UInt8, from offset: Int) -> Int? {
    guard offset < count else { return nil }
    return unsafe withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return nil }
      guard let found = unsafe memchr(start + offset, Int32(byte), text.count - offset) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }
  }

  /// The end of the scalar that starts at the offset.
  func offsetOfScalar(after offset: Int) -> Int {
    var next = offset + 1
    while next < count, isContinuation(self[next]) { next += 1 }
    return next
  }

  /// The start of the scalar that ends at the offset.
  func offsetOfScalar(before offset: Int) -> Int {
    var previous = offset - 1
    while previous > 0, isContinuation(self[previous]) { previous -= 1 }
    return previous
  }

  private func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Calls the body with a copy in which the ASCII letters are lowercase.
  func withLowercasedASCII<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { copy in
      for index in indices {
        unsafe copy.initializeElement(at: index, to: self[index].lowercasedASCII)
      }
      return unsafe body(UnsafeBufferPointer(copy).span)
    }
  }
}

extension UInt8 {
  /// The byte, with uppercase ASCII letters in lowercase.
  var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension String {
  /// Decodes the bytes, with replacement characters for malformed ones.
  init(utf8 bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
