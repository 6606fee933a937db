extension TextPattern {
  /// The pattern of `LIKE`: the stretches between its stars.
  ///
  /// Each stretch takes its leftmost match. That never loses a match, since the star after it takes
  /// any text. So there is no backtracking and no exponential case.
  struct Wildcards: Sendable {
    /// The parts between the stars; `n` stars separate `n + 1` stretches, some of which may be
    /// empty.
    let stretches: [Stretch]

    /// The smallest length of a matching text, in bytes.
    var minimumByteCount: Int { stretches.reduce(0) { $0 + $1.minimumByteCount } }

    init(_ pattern: String, folding: TextFolding) {
      var stretches: [Stretch] = []
      var current = Stretch()
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
          stretches.append(current)
          current = Stretch()
        default:
          literal.unicodeScalars.append(scalar)
        }
      }
      current.append(literal: &literal, folding: folding)
      self.stretches = stretches + [current]
    }

    /// Whether the whole folded text matches.
    func cover(_ text: Span<UInt8>) -> Bool {
      guard let first = stretches.first, let last = stretches.last else { return text.isEmpty }
      guard var offset = first.end(in: text, at: 0) else { return false }
      if stretches.count == 1 { return offset == text.count }
      for stretch in stretches[1..<(stretches.count - 1)] {
        guard let end = stretch.firstEnd(in: text, from: offset) else { return false }
        offset = end
      }
      guard let start = last.start(in: text, endingAt: text.count) else { return false }
      return start >= offset
    }
  }
}
