/// Texts that are broken into lines.
enum ParagraphText {
  /// The lines of a text, broken at its spaces.
  ///
  /// Lines that it has of its own stay.
  static func lines(_ text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      lines(
        paragraph.split(separator: " ", omittingEmptySubsequences: false).map(String.init),
        width: width)
    }
  }

  /// The lines that some words make, none longer than a width unless a word is.
  ///
  /// - Parameter indent: The spaces before each line but the first.
  static func lines(_ words: [String], width: Int, indent: Int = 0) -> [String] {
    var lines: [String] = []
    var line = words.first ?? ""
    for word in words.dropFirst() {
      if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      }
    }
    return lines + [line]
  }
}
