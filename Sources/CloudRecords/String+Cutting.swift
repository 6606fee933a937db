extension String {
  /// The text as a name in a sentence: what no name can be is cut.
  package var asNameInSentence: String { cut(toBytes: Limits.shownNameBytes) }

  /// As much of a text as has so many bytes of UTF-8, with a mark where there was more.
  ///
  /// It ends at the boundary of a scalar: what people take for one character may be as long as
  /// whoever sends it likes.
  package func cut(toBytes most: Int) -> String {
    guard utf8.count > most else { return self }
    let mark = "…"
    var end = utf8.index(startIndex, offsetBy: max(0, most - mark.utf8.count))
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end] + mark
  }
}
