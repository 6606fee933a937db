extension BorrowedValues where Self: ~Copyable {
  /// A value as an SQL literal for a log; a long text or blob is shortened, and its size added.
  func literal(at index: Int) -> String {
    switch storageClass(at: index) {
    case .null: "NULL"
    case .integer: "\(int64(at: index))"
    case .real: "\(double(at: index))"
    case .text: withText(at: index) { textLiteral($0) } ?? "NULL"
    case .blob: withBlob(at: index) { blobLiteral($0) } ?? "NULL"
    }
  }
}

private func textLiteral(_ utf8: Span<UInt8>) -> String {
  var end = min(utf8.count, Limits.loggedValueBytes)
  // A character is not cut: its further bytes begin with the bits 10.
  while end > 0, end < utf8.count, utf8[end] & 0xC0 == 0x80 { end -= 1 }
  let shown = String(copying: utf8.extracting(..<end)).replacing("'", with: "''")
  return end < utf8.count ? "'\(shown)…'(\(utf8.count) bytes)" : "'\(shown)'"
}

private func blobLiteral(_ bytes: RawSpan) -> String {
  let end = min(bytes.byteCount, Limits.loggedValueBytes / 4)
  var hex = ""
  for index in 0..<end {
    let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    hex += (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
  return end < bytes.byteCount ? "x'\(hex)…'(\(bytes.byteCount) bytes)" : "x'\(hex)'"
}

/// A row of values whose number is known.
extension BorrowedValues where Self: ~Copyable {
  /// All values, as literals in parentheses.
  func literals(count: Int) -> String {
    "(" + (0..<count).map { literal(at: $0) }.joined(separator: ", ") + ")"
  }
}
