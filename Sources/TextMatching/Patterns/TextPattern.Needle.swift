extension TextPattern {
  /// Bytes to search for, with the table of Knuth, Morris and Pratt, which makes the search linear.
  struct Needle: Hashable, Sendable {
    let bytes: [UInt8]

    /// For each position: the length of the longest proper prefix of `bytes` that also ends there.
    private let borders: [Int32]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      var borders = [Int32](repeating: 0, count: bytes.count)
      var border = 0
      for index in bytes.indices.dropFirst() {
        while border > 0, bytes[index] != bytes[border] { border = Int(borders[border - 1]) }
        if bytes[index] == bytes[border] { border += 1 }
        borders[index] = Int32(border)
      }
      self.borders = borders
    }

    /// The first offset of the bytes, starting from an offset, in time proportional to the
    /// distance.
    ///
    /// An empty needle is found at the start of the search.
    func firstOffset(in text: Span<UInt8>, from offset: Int) -> Int? {
      guard let first = bytes.first else { return offset <= text.count ? offset : nil }
      var offset = offset
      var matched = 0
      while bytes.count - matched <= text.count - offset {
        if matched == 0 {
          guard let candidate = text.firstOffset(of: first, from: offset) else { return nil }
          offset = candidate
        }
        if text[offset] == bytes[matched] {
          offset += 1
          matched += 1
          if matched == bytes.count { return offset - matched }
        } else if matched == 0 {
          offset += 1
        } else {
          matched = Int(borders[matched - 1])
        }
      }
      return nil
    }
  }
}
