/// What the header field `Content-Range` says of an upload.
///
/// Parhelion's clients go on with a file by it whose transfer broke off:
///
///     POST …, Content-Range: bytes */1000          ──▶ {"received": 400}
///     POST …, Content-Range: bytes 400-999/1000    ──▶ the receipt
package enum UploadPart: Hashable, Sendable {
  /// How much of so many bytes has come?
  case question(total: Int64)
  /// The rest of a file of so many bytes, from a place on; from 0 it is all of it.
  case rest(from: Int64, total: Int64)

  /// How long the whole file is.
  package var total: Int64 {
    switch self {
    case .question(let total), .rest(_, let total): total
    }
  }

  /// How many bytes the request brings.
  package var length: Int64 {
    switch self {
    case .question: 0
    case .rest(let start, let total): total - start
    }
  }

  /// Nil for what says neither.
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

  /// A number of digits alone: the standard library reads signs, too.
  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ? Int64(text) : nil
  }
}
