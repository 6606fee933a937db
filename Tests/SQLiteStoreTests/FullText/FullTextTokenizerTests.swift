import SQLiteDriver
import TestSupport
import Testing
import TextMatching

/// The words of an index equal those of searches without an index.
@Suite struct `The words of a full-text index` {
  /// The words that SQLite finds in texts.
  private func indexed(_ texts: [String]) throws -> [[String]] {
    let connection = try Connection(.memory)
    try connection.execute(
      "CREATE VIRTUAL TABLE f USING fts5(x, tokenize = 'unicode61 remove_diacritics 2')")
    try connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
    for (index, text) in texts.enumerated() {
      try connection.run(
        "INSERT INTO f(rowid, x) VALUES (?, ?)", [.integer(Int64(index)), .text(text)])
    }
    var words = [[String]](repeating: [], count: texts.count)
    for row in try connection.rows("SELECT doc, term FROM v ORDER BY doc, offset") {
      guard case .integer(let document) = row[0], case .text(let word) = row[1] else { continue }
      words[Int(document)].append(word)
    }
    return words
  }

  private func scalars(_ words: [String]) -> [[Unicode.Scalar]] {
    words.map { Array($0.unicodeScalars) }
  }

  @Test func `Letters, numbers and signs form the same words`() throws {
    // Latin, Greek, Cyrillic, Hebrew, Arabic, Hangul, Kana, Han, and the signs between them.
    let ranges: [ClosedRange<UInt32>] = [
      1...0x37E, 0x384...0x527, 0x5D0...0x5F4, 0x620...0x64A, 0x1E00...0x1FFF, 0x2000...0x2BFF,
      0x3040...0x30FF, 0x4E00...0x4FFF, 0xAC00...0xAD00, 0xE000...0xE010, 0xFF00...0xFFDC,
      0x1F300...0x1F64F,
    ]
    // SQLite does not fold these two letters, which have two marks each.
    let characters = ranges.joined().filter { ![0x1E0, 0x1E1].contains($0) }
      .compactMap(Unicode.Scalar.init).map { "a\($0)b \($0)c" }
    let words = try indexed(characters)
    let differing = zip(characters, words).filter {
      scalars(FullTextTokens.tokens(of: $0)) != scalars($1)
    }
    #expect(differing.map(\.0) == [])
  }

  @Test func `Random texts have the same words`() throws {
    var generator = SeededGenerator.forTest()
    let pieces = [
      "a", "B", "é", "E\u{301}", "\u{301}", "ß", "Σ", "ς", "İ", "1", "½", " ", "-", "'", "\"", "*",
      "日", "語", "か", "\u{3099}", "ü", "\u{308}", "🎉", "\u{200D}", "م", "ُ", "한", "_", "\n", "Ｚ",
    ]
    let texts = (0..<500).map { _ in
      (0..<Int.random(in: 0...12, using: &generator))
        .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }
    for (text, words) in zip(texts, try indexed(texts)) {
      #expect(
        scalars(FullTextTokens.tokens(of: text)) == scalars(words),
        "\(text.unicodeScalars.map(\.value)) \(generator)")
    }
  }
}
