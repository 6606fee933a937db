/// A position in a text, for an error message.
struct TextPosition: Hashable, Sendable {
  /// Characters from the start of the text.
  let offset: Int
  /// The line, starting from 1.
  let line: Int
  /// The character in the line, starting from 1.
  let column: Int
  /// The line, or the part of it around the position.
  let excerpt: String
  /// The number of characters of the excerpt before the position.
  let caret: Int

  /// The position of the character that contains a byte of UTF-8.
  init(in text: String, byteOffset: Int) {
    let utf8 = text.utf8
    let byte = utf8.index(utf8.startIndex, offsetBy: min(max(byteOffset, 0), utf8.count))
    let place = text.startOfCharacter(at: byte)
    let lineStart =
      text[..<place].lastIndex(where: \.isNewline).map { text.index(after: $0) } ?? text.startIndex
    let lineEnd = text[place...].firstIndex(where: \.isNewline) ?? text.endIndex
    let charactersBefore = text.distance(from: lineStart, to: place)
    let skipped = max(0, charactersBefore - Limits.excerptCharacters / 2)
    offset = text.distance(from: text.startIndex, to: place)
    line = text[..<place].count(where: \.isNewline) + 1
    column = charactersBefore + 1
    excerpt = String(text[lineStart..<lineEnd].dropFirst(skipped).prefix(Limits.excerptCharacters))
    caret = charactersBefore - skipped
  }
}

extension String {
  fileprivate func startOfCharacter(at index: Index) -> Index {
    guard index < endIndex else { return endIndex }
    return self.index(before: self.index(after: index))
  }
}
