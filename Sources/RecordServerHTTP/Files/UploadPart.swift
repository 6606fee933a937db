/// What the header field `Content-Range` says of an upload.
///
/// Parhelion's clients go on with a file by it whose transfer broke off:
///
///     POST …, Content-Range: bytes */1000          ──▶ {"received": 400}
///     POST …, Content-Range: bytes 400-999/1000    ──▶ the receipt
package enum UploadPart: Equatable {
  /// How much has come?
  case question
  /// The rest of a file, from a place on.
  case rest(from: Int64)

  /// Nil for what says neither.
  package init?(_ field: String) {
    guard field.hasPrefix("bytes "), let slash = field.lastIndex(of: "/"),
      let total = Int64(field[field.index(after: slash)...]), total >= 0
    else { return nil }
    let range = field[..<slash].dropFirst("bytes ".count)
    if range == "*" {
      self = .question
      return
    }
    let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, first <= last, last == total - 1 else {
      return nil
    }
    self = .rest(from: first)
  }
}
