/// Suggestions for misspelled words.
package enum Suggestion {
  /// ` Did you mean "…"?`, or an empty text if no known word is similar.
  package static func text(for word: String, among known: [String]) -> String {
    nearest(to: word, among: known).map { " Did you mean \"\($0)\"?" } ?? ""
  }

  /// The most similar known word, if it differs in few letters or starts with the word.
  static func nearest(to word: String, among known: [String]) -> String? {
    let typed = Array(word.lowercased().prefix(64))
    guard !typed.isEmpty else { return nil }
    if let continued = known.first(where: { $0.lowercased().hasPrefix(String(typed)) }) {
      return continued
    }
    let ranked = known.map { ($0, distance(typed, Array($0.lowercased().prefix(64)))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, typed.count / 3) else {
      return nil
    }
    return best.0
  }

  /// The edit distance: insertions, deletions, replacements, and swaps of neighbors.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var rows = [Array(0...second.count)]
    for (i, letter) in first.enumerated() {
      var row = [i + 1]
      for (j, other) in second.enumerated() {
        var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
