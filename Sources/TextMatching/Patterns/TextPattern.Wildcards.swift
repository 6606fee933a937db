extension TextPattern {
  /// The pattern of `LIKE`: the segments between its stars.
  ///
  /// Each segment takes its leftmost match. That never loses a match, since the star after it takes
  /// any text. So there is no backtracking and no exponential case.
  struct Wildcards: Sendable {
    /// The parts between the stars; `n` stars separate `n + 1` segments, some of which may be
    /// empty.
    let segments: [Segment]

    /// The smallest length of a matching text, in bytes.
    var minimumByteCount: Int { segments.reduce(0) { $0 + $1.minimumByteCount } }

    init(_ pattern: String, folding: TextFolding) {
      var segments: [Segment] = []
      var current = Segment()
      var literal = ""
      var scalars = pattern.unicodeScalars.makeIterator()
      while let scalar = scalars.next() {
        switch scalar {
        case "\\":
          literal.unicodeScalars.append(scalars.next() ?? scalar)
        case "?":
          current.append(literal: &literal, folding: folding)
          current.pieces.append(.anyScalar)
        case "*":
          current.append(literal: &literal, folding: folding)
          segments.append(current)
          current = Segment()
        default:
          literal.unicodeScalars.append(scalar)
        }
      }
      current.append(literal: &literal, folding: folding)
      self.segments = segments + [current]
    }

    /// Whether the whole folded text matches.
    func matches(_ text: Span<UInt8>) -> Bool {
      guard let first = segments.first, let last = segments.last else { return text.isEmpty }
      guard var offset = first.end(in: text, at: 0) else { return false }
      if segments.count == 1 { return offset == text.count }
      for segment in segments[1..<(segments.count - 1)] {
        guard let end = segment.firstEnd(in: text, from: offset) else { return false }
        offset = end
      }
      guard let start = last.start(in: text, endingAt: text.count) else { return false }
      return start >= offset
    }
  }
}
