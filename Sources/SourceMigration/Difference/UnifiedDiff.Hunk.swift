extension UnifiedDiff {
  /// Adjacent changes, with the unchanged lines around them.
  package struct Hunk: Sendable, Equatable {
    /// The number of lines before the hunk, in the old and in the new text.
    let start: (old: Int, new: Int)
    package let lines: [Line]

    package static func == (left: Hunk, right: Hunk) -> Bool {
      left.start == right.start && left.lines == right.lines
    }

    /// The header, such as `@@ -1,3 +1,5 @@`.
    package var header: String {
      let old = Self.range(from: start.old, count: counts.old)
      let new = Self.range(from: start.new, count: counts.new)
      return "@@ -\(old) +\(new) @@"
    }

    /// The numbers of lines in the old and in the new text.
    private var counts: (old: Int, new: Int) {
      (lines.count { $0.kind != .added }, lines.count { $0.kind != .removed })
    }

    /// A range of lines, starting from one; an empty range names the line before it.
    private static func range(from start: Int, count: Int) -> String {
      count == 1 ? "\(start + 1)" : "\(count == 0 ? start : start + 1),\(count)"
    }

    static func hunks(of lines: [Line]) -> [Hunk] {
      var hunks: [Hunk] = []
      var start = (old: 0, new: 0)
      var end = 0
      for range in ranges(of: lines) {
        // The lines between two hunks are in both texts.
        let kept = range.lowerBound - end
        start = (start.old + kept, start.new + kept)
        let hunk = Hunk(start: start, lines: Array(lines[range]))
        hunks.append(hunk)
        start = (start.old + hunk.counts.old, start.new + hunk.counts.new)
        end = range.upperBound
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
