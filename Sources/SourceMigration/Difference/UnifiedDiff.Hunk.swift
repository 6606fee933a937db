extension UnifiedDiff {
  /// Adjacent changes, with the unchanged lines around them.
  package struct Hunk: Sendable, Equatable {
    /// The line before the first one, starting from zero, in the old and in the new text.
    let start: (old: Int, new: Int)
    package let lines: [Line]

    package static func == (left: Hunk, right: Hunk) -> Bool {
      left.start == right.start && left.lines == right.lines
    }

    /// The header, such as `@@ -1,3 +1,5 @@`.
    package var header: String {
      let old = Self.range(from: start.old, count: lines.count { $0.kind != .added })
      let new = Self.range(from: start.new, count: lines.count { $0.kind != .removed })
      return "@@ -\(old) +\(new) @@"
    }

    /// A range of lines, starting from one; an empty range names the line before it.
    private static func range(from start: Int, count: Int) -> String {
      count == 1 ? "\(start + 1)" : "\(count == 0 ? start : start + 1),\(count)"
    }

    static func hunks(of lines: [Line]) -> [Hunk] {
      var hunks: [Hunk] = []
      for range in ranges(of: lines) {
        let before = lines[..<range.lowerBound]
        let start = (before.count { $0.kind != .added }, before.count { $0.kind != .removed })
        hunks.append(Hunk(start: start, lines: Array(lines[range])))
      }
      return hunks
    }

    /// The ranges of changed lines, extended by the context and joined if they overlap.
    private static func ranges(of lines: [Line]) -> [Range<Int>] {
      var ranges: [Range<Int>] = []
      for index in lines.indices where lines[index].kind != .kept {
        let lower = max(index - Limits.contextLines, 0)
        let upper = min(index + Limits.contextLines + 1, lines.count)
        if let last = ranges.last, last.upperBound >= lower {
          ranges[ranges.count - 1] = last.lowerBound..<upper
        } else {
          ranges.append(lower..<upper)
        }
      }
      return ranges
    }
  }
}
