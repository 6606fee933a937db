extension BinaryPropertyList {
  /// The last 32 bytes of the file.
  ///
  /// | byte | meaning |
  /// |---|---|
  /// | 0–4 | unused |
  /// | 5 | version of the sort order, unused |
  /// | 6 | bytes per offset in the offset table |
  /// | 7 | bytes per reference in containers |
  /// | 8–15 | number of objects |
  /// | 16–23 | index of the root object |
  /// | 24–31 | offset of the offset table |
  struct Trailer: Equatable {
    let offsetBytes: Int
    let referenceBytes: Int
    let objectCount: Int
    let rootIndex: Int
    let tableOffset: Int

    init(of bytes: [UInt8]) throws(PropertyListError) {
      let start = bytes.count - trailerBytes
      guard start >= header.count, bytes.starts(with: header) else {
        throw PropertyListError(
          .notAPropertyList,
          "This is not a binary property list: it must start with “bplist00” and be at least 40 bytes long.",
          offset: 0)
      }
      offsetBytes = Int(bytes[start + 6])
      referenceBytes = Int(bytes[start + 7])
      objectCount = try Self.number(in: bytes, at: start + 8)
      rootIndex = try Self.number(in: bytes, at: start + 16)
      tableOffset = try Self.number(in: bytes, at: start + 24)
      try checkSizes(start)
      try checkTable(start)
    }

    private static func number(in bytes: [UInt8], at offset: Int) throws(PropertyListError) -> Int {
      let value = bytes[offset..<(offset + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let number = Int(exactly: value) else {
        throw PropertyListError(
          .outOfBounds, "The trailer contains a number that is larger than any file.",
          offset: offset)
      }
      return number
    }

    private func checkSizes(_ start: Int) throws(PropertyListError) {
      guard (1...8).contains(offsetBytes), (1...8).contains(referenceBytes) else {
        throw PropertyListError(
          .malformed,
          "Offsets and references must be 1 to 8 bytes wide, not \(offsetBytes) and \(referenceBytes).",
          offset: start + 6)
      }
      guard rootIndex < objectCount else {
        throw PropertyListError(
          .outOfBounds,
          "The root object has number \(rootIndex), but there are only \(objectCount) objects.",
          offset: start + 16)
      }
    }

    private func checkTable(_ start: Int) throws(PropertyListError) {
      let (tableBytes, overflow) = objectCount.multipliedReportingOverflow(by: offsetBytes)
      guard !overflow, tableOffset > header.count, tableOffset <= start,
        start - tableOffset == tableBytes
      else {
        throw PropertyListError(
          .outOfBounds,
          "The offset table must end where the trailer begins; it starts at byte \(tableOffset) and has \(objectCount) entries of \(offsetBytes) bytes.",
          offset: start + 24)
      }
    }
  }
}
