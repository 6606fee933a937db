/// A search for words in texts.
///
/// | query | finds texts with |
/// |---|---|
/// | `red apple` | both words, anywhere |
/// | `"red apple"` | the words next to each other, in this order |
/// | `app*`, `"red app*"` | words that begin with `app` |
///
/// Everything else in a query separates words, so any text is a valid query. A query without words
/// finds nothing.
package struct FullTextQuery: Hashable, Sendable {
  /// Words next to each other.
  package struct Term: Hashable, Sendable {
    package let words: [String]
    /// Whether the last word may continue.
    package let isPrefix: Bool
  }

  /// The terms, all of which must be found.
  package let terms: [Term]

  /// Reads a query that a person typed.
  package init(_ text: String) {
    var terms: [Term] = []
    var rest = text[...]
    while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
      let piece: Substring
      (piece, rest) = Self.next(rest[start...])
      if let term = Self.term(piece) { terms.append(term) }
    }
    self.terms = Array(terms.prefix(Limits.fullTextTerms))
  }

  /// The first piece, and the rest of the text.
  ///
  /// A piece is a quoted phrase, with the asterisk that may follow it, or the text up to the next
  /// space or quote.
  private static func next(_ text: Substring) -> (piece: Substring, rest: Substring) {
    guard text.first == "\"" else {
      let end = text.firstIndex { $0.isWhitespace || $0 == "\"" } ?? text.endIndex
      return (text[..<end], text[end...])
    }
    let content = text.dropFirst()
    guard let quote = content.firstIndex(of: "\"") else { return (content, "") }
    var end = content.index(after: quote)
    if end < content.endIndex, content[end] == "*" { end = content.index(after: end) }
    return (content[..<end], content[end...])
  }

  private static func term(_ piece: Substring) -> Term? {
    let words = FullTextTokens.tokens(of: String(piece))
    guard !words.isEmpty else { return nil }
    let end = piece.last == "\"" ? piece.dropLast() : piece
    return Term(words: words, isPrefix: end.last == "*")
  }
}

// MARK: - In an index

extension FullTextQuery {
  /// The query in FTS5's language.
  ///
  /// Words contain no quotes, so they cannot end the quotes around them.
  package var indexExpression: String {
    guard !terms.isEmpty else { return "\"\"" }
    return terms.map { term in
      "\"\(term.words.joined(separator: " "))\"" + (term.isPrefix ? " *" : "")
    }.joined(separator: " AND ")
  }
}

// MARK: - In texts

extension FullTextQuery {
  /// Whether each term is in one of the texts.
  package func matches(_ texts: [String]) -> Bool {
    guard !terms.isEmpty else { return false }
    let tokens = texts.map { FullTextTokens.tokens(of: $0) }
    return terms.allSatisfy { term in tokens.contains { Self.count(of: term, in: $0) > 0 } }
  }

  /// The number of times that a term is in a list of words.
  private static func count(of term: Term, in words: [String]) -> Int {
    guard let last = term.words.last, words.count >= term.words.count else { return 0 }
    return (0...words.count - term.words.count).count { start in
      let found = words[start..<start + term.words.count]
      // FTS5 compares bytes, not canonically equivalent texts.
      guard zip(found, term.words.dropLast()).allSatisfy({ $0.utf8.elementsEqual($1.utf8) }),
        let end = found.last
      else { return false }
      return term.isPrefix
        ? end.utf8.starts(with: last.utf8) : end.utf8.elementsEqual(last.utf8)
    }
  }

  /// The relevance of documents, each a list of texts: higher is better.
  ///
  /// It is BM25 with FTS5's constants, where each term has the same weight: frequent terms count
  /// more in short documents.
  package func relevance(of documents: [[String]]) -> [Double] {
    let tokens = documents.map { $0.map { FullTextTokens.tokens(of: $0) } }
    let lengths = tokens.map { Double($0.reduce(0) { $0 + $1.count }) }
    let mean = max(1, lengths.reduce(0, +) / Double(max(1, lengths.count)))
    return zip(tokens, lengths).map { texts, length in
      terms.reduce(0) { sum, term in
        let count = Double(texts.reduce(0) { $0 + Self.count(of: term, in: $1) })
        return sum + count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
      }
    }
  }
}
