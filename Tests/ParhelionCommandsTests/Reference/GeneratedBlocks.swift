/// The parts of a Markdown document that the code writes.
///
/// A block begins with the line `<!-- generated: NAME -->` and ends with `<!-- end -->`. Everything
/// outside the blocks is written by hand.
struct GeneratedBlocks {
  private enum Part {
    case text(String)
    case block(name: String, content: String)
  }

  private let parts: [Part]

  /// Finds the generated blocks of a document.
  ///
  /// - Throws: `GeneratedBlockError` if a block has no end.
  init(parsing document: String) throws(GeneratedBlockError) {
    var parts: [Part] = []
    var text = ""
    var open: String?
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if open == nil, let name = Self.name(in: line) {
        parts.append(.text(text + line + "\n"))
        (text, open) = ("", name)
      } else if let name = open, line == Self.end {
        parts.append(.block(name: name, content: text))
        (text, open) = (line + "\n", nil)
      } else {
        text += line + "\n"
      }
    }
    if let open { throw GeneratedBlockError(block: open) }
    // The last line of a document ends with a line break, after which the split found an empty
    // line.
    parts.append(.text(String(text.dropLast())))
    self.parts = parts
  }

  /// The names of the blocks, in their order.
  var names: [String] {
    parts.compactMap { if case .block(let name, _) = $0 { name } else { nil } }
  }

  /// The document with new contents of its blocks.
  ///
  /// - Parameter content: Returns the content of a block, or nil to keep it.
  func document(_ content: (_ name: String) -> String?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .block(let name, let old): content(name) ?? old
      }
    }.joined()
  }

  private static let end = "<!-- end -->"

  private static func name(in line: Substring) -> String? {
    line.wholeMatch(of: #/<!-- generated: ([a-z-]+) -->/#).map { String($0.1) }
  }
}

/// A generated block without an end.
struct GeneratedBlockError: Error, Equatable {
  let block: String
}
