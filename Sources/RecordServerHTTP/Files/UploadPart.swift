/// The part of an upload that the header field `Content-Range` describes.
///
/// Parhelion's clients use it to resume an upload:
///
///     POST …, Content-Range: bytes */1000          ──▶ {"received": 400}
///     POST …, Content-Range: bytes 400-999/1000    ──▶ the receipt
package enum UploadPart: Hashable, Sendable {
  /// Asks how many bytes of the file have arrived.
  case question(total: Int64)
  /// The rest of a file from an offset; from 0, the whole file.
  case rest(from: Int64, total: Int64)

  /// The length of the whole file.
  package var total: Int64 {
    switch self {
    case .question(let total), .rest(_, let total): total
    }
  }

  /// The number of bytes in the request.
  package var length: Int64 {
    switch self {
    case .question: 0
    case .rest(let start, let total): total - start
    }
  }

  /// Parses a field.
  ///
  /// Returns nil if it has another form.
  package init?(_ field: String) {
    guard field.hasPrefix("bytes "), let slash = field.lastIndex(of: "/"),
      let total = Self.number(field[field.index(after: slash)...])
    else { return nil }
    let range = field[..<slash].dropFirst("bytes ".count)
    if range == "*" {
      self = .question(total: total)
      return
    }
    let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last == total - 1
    else { return nil }
    self = .rest(from: first, total: total)
  }

  /// The number in a text of digits only; nil for other texts.
  ///
  /// The standard library would accept signs, too.
  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? Int64(text) : nil
  }
}
