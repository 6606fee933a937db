extension String {
  /// The text, truncated to a length that a valid name cannot exceed, for error messages.
  package var asNameInSentence: String { cut(toBytes: Limits.quotedNameBytes) }

  /// The text, truncated to a number of UTF-8 bytes, with an ellipsis if anything was cut.
  ///
  /// The cut is between Unicode scalars, because a client can send one grapheme cluster of any
  /// length.
  package func cut(toBytes most: Int) -> String {
    guard utf8.count > most else { return self }
    let mark = "…"
    var end = utf8.index(startIndex, offsetBy: max(0, most - mark.utf8.count))
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end] + mark
  }
}
