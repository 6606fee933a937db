/// The difference of two texts in the format that `diff -u` prints and `patch` reads.
package struct UnifiedDiff: Sendable {
  package struct Line: Sendable, Equatable {
    package enum Kind: Character, Sendable {
      case kept = " "
      case removed = "-"
      case added = "+"
    }

    package let kind: Kind
    /// The line with its line ending, if it has one.
    package let text: String
  }

  /// The path of both texts.
  package let path: String
  package let hunks: [Hunk]

  package init(path: String, from old: String, to new: String) {
    self.path = path
    hunks = Hunk.hunks(of: Self.lines(from: old.lines, to: new.lines))
  }

  /// The numbers of removed and added lines.
  package var counts: (removed: Int, added: Int) {
    let lines = hunks.flatMap(\.lines)
    return (lines.count { $0.kind == .removed }, lines.count { $0.kind == .added })
  }

  /// The text of the diff, with or without terminal colours.
  package func rendered(inColour: Bool) -> String {
    guard !hunks.isEmpty else { return "" }
    let style = DiffStyle(isColoured: inColour)
    let isRelative = !path.hasPrefix("/")
    var text =
      style.header("--- \(isRelative ? "a/" : "")\(path)")
      + style.header("+++ \(isRelative ? "b/" : "")\(path)")
    for hunk in hunks {
      text += style.position(hunk.header)
      for line in hunk.lines { text += style.line(line) }
    }
    return text
  }

  private static func lines(from old: [String], to new: [String]) -> [Line] {
    let difference = new.difference(from: old)
    var removals: [Int: String] = [:]
    var insertions: [Int: String] = [:]
    for change in difference {
      switch change {
      case .remove(let offset, let line, _): removals[offset] = line
      case .insert(let offset, let line, _): insertions[offset] = line
      }
    }
    var result: [Line] = []
    var position = (old: 0, new: 0)
    while position.old < old.count || position.new < new.count {
      if let line = removals[position.old] {
        result.append(Line(kind: .removed, text: line))
        position.old += 1
      } else if let line = insertions[position.new] {
        result.append(Line(kind: .added, text: line))
        position.new += 1
      } else {
        result.append(Line(kind: .kept, text: old[position.old]))
        position = (position.old + 1, position.new + 1)
      }
    }
    return result
  }
}

extension String {
  /// The lines with their line endings.
  fileprivate var lines: [String] {
    var lines: [String] = []
    var line = ""
    for character in self {
      line.append(character)
      if character == "\n" || character == "\r\n" || character == "\r" {
        lines.append(line)
        line = ""
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
