/// Converts offsets in a UTF-8 text to lines and columns.
///
/// It stores the position of about every thousandth byte, so a look-up reads few bytes whatever the
/// lengths of the lines.
package struct LineIndex: Sendable {
  private static let stride = 1024

  private let bytes: [UInt8]
  private let checkpoints: [SourcePosition]

  package init(_ bytes: [UInt8]) {
    var checkpoints: [SourcePosition] = []
    var position = SourcePosition(line: 1, column: 1)
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.stride == 0 { checkpoints.append(position) }
      position.advance(over: byte)
    }
    self.bytes = bytes
    self.checkpoints = checkpoints
  }

  /// The position of a byte.
  ///
  /// An offset beyond the end counts as the end.
  package func position(ofByte offset: Int) -> SourcePosition {
    let offset = min(max(0, offset), bytes.count)
    let checkpoint = min(offset / Self.stride, checkpoints.count - 1)
    guard checkpoint >= 0 else { return SourcePosition(line: 1, column: 1) }
    var position = checkpoints[checkpoint]
    for byte in bytes[(checkpoint * Self.stride)..<offset] { position.advance(over: byte) }
    return position
  }
}

extension SourcePosition {
  /// Advances over a byte of a UTF-8 text.
  ///
  /// Only the first byte of a Unicode scalar advances the column.
  fileprivate mutating func advance(over byte: UInt8) {
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
}
