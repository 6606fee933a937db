import Foundation
package import SQLiteDriver

/// A stored record name: 16 bytes for a UUID in capitals, otherwise the text.
///
/// Most names are such UUIDs, and an index of texts is more than twice as long.
package enum RecordName: Hashable {
  case uuid(UInt64, UInt64)
  case text(String)

  package init(_ text: String) {
    if let (high, low) = Self.halves(text) { self = .uuid(high, low) } else { self = .text(text) }
  }

  /// The name as a text.
  package var text: String {
    switch self {
    case .text(let text): text
    case .uuid(let high, let low): Self.text(high, low)
    }
  }

  /// The value of the column.
  package var value: Value {
    switch self {
    case .text(let text): .text(text)
    case .uuid(let high, let low): .blob(Self.bytes(high) + Self.bytes(low))
    }
  }

  /// Reads the name from a column; nil if it has none.
  package init?(_ row: borrowing Row, at column: Int) {
    switch row.storageClass(at: column) {
    case .text: self = .text(row.text(at: column) ?? "")
    case .blob:
      guard let bytes = row.blob(at: column), bytes.count == 16 else { return nil }
      self = .uuid(Self.number(bytes[..<8]), Self.number(bytes[8...]))
    default: return nil
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Text

  /// Whether a UUID has a hyphen at an index.
  private static func isHyphen(_ place: Int) -> Bool {
    place == 8 || place == 13 || place == 18 || place == 23
  }

  private static func halves(_ text: String) -> (UInt64, UInt64)? {
    let bytes = text.utf8.span
    guard bytes.count == 36 else { return nil }
    var digits = (high: UInt64(0), low: UInt64(0), count: 0)
    for place in bytes.indices {
      if isHyphen(place) {
        guard bytes[place] == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = digit(bytes[place]) else { return nil }
      if digits.count < 16 {
        digits.high = digits.high << 4 | digit
      } else {
        digits.low = digits.low << 4 | digit
      }
      digits.count += 1
    }
    return (digits.high, digits.low)
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    unsafe String(unsafeUninitializedCapacity: 36) { buffer in
      var digit = 0
      for place in 0..<36 {
        if isHyphen(place) {
          unsafe buffer[place] = UInt8(ascii: "-")
          continue
        }
        let half = digit < 16 ? high : low
        let value = UInt8(truncatingIfNeeded: half >> (60 - 4 * UInt64(digit % 16)) & 15)
        unsafe buffer[place] =
          value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
        digit += 1
      }
      return 36
    }
  }
}

extension RecordName: StatementParameter {
  package func bind(to statement: inout Statement, at parameter: Int) throws(SQLiteError) {
    switch self {
    case .text(let text): try statement.bind(text, at: parameter)
    case .uuid(let high, let low):
      var bytes = (high.bigEndian, low.bigEndian)
      try unsafe withUnsafeBytes(of: &bytes) { (bytes) throws(SQLiteError) in
        try statement.bind(blob: unsafe RawSpan(_unsafeBytes: bytes), at: parameter)
      }
    }
  }
}

extension Statement {
  mutating func bind(_ name: RecordName, at parameter: Int) throws(SQLiteError) {
    try name.bind(to: &self, at: parameter)
  }
}
