extension TextPattern {
  /// Bytes to be looked for, with what makes the search linear (Knuth, Morris and Pratt's table).
  struct Needle: Hashable, Sendable {
    let bytes: [UInt8]

    /// For each byte: how long the longest beginning of `bytes` is that also ends here and is not
    /// all up to here.
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

    /// Where the bytes stand first at or after the offset, in time proportional to the distance.
    ///
    /// Looked for is never nothing: an empty needle is found where the search starts.
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
