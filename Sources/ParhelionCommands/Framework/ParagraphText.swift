/// Wraps text into lines.
enum ParagraphText {
  /// The lines of a text, wrapped at its spaces.
  ///
  /// Existing line breaks are kept. The further lines of a list's item are indented.
  static func lines(_ text: String, width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      lines(
        paragraph.split(separator: " ", omittingEmptySubsequences: false).map(String.init),
        width: width, indent: paragraph.hasPrefix("- ") ? 2 : 0)
    }
  }

  /// Wraps words into lines, none longer than a width unless a word is.
  ///
  /// - Parameter indent: The number of spaces before each line except the first.
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
