import TestSupport

extension SeededGenerator {
  /// A short text over an alphabet in which nearly every element is a special case of letter case,
  /// diacritics, width, digits, contractions, or ignorable characters.
  mutating func text(maximumLength: Int = 5) -> String {
    let alphabet = [
      "a", "A", "b", "B", "c", "h", "C", "H", "e", "E", "é", "e\u{301}", "ß", "s", "S", "ss", "0",
      "1", "9", "10", "00",
      " ", "-", "_", ".", "😀", "ﬁ", "fi", "Ａ", "z", "ä", "Ä", "a\u{308}", "\u{301}", "\0", "œ", "O",
      "ı", "İ", "i", "I",
      "日", "か", "が", "か\u{3099}", "ｶ", "ς", "Σ", "ά", "\u{1F71}", "й", "й", "\u{212A}", "\u{212B}",
      "한",
      "\u{1112}\u{1161}\u{11AB}",
      "*", "?", "\\", "\n", "\u{FFFD}", "\u{10FFFF}", "\u{E000}",
    ]
    return pieces(of: alphabet, maximumLength: maximumLength)
  }

  /// A short text over few characters, so that patterns match often.
  mutating func narrowText(maximumLength: Int) -> String {
    pieces(of: ["a", "b", "é"], maximumLength: maximumLength)
  }

  /// A run of random pieces.
  mutating func pieces(of alphabet: [String], maximumLength: Int) -> String {
    (0..<Int.random(in: 0...maximumLength, using: &self))
      .map { _ in alphabet[Int.random(in: alphabet.indices, using: &self)] }.joined()
  }
}
