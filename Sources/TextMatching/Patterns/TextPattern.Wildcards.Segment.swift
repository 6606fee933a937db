extension TextPattern.Wildcards {
  /// A part of a `LIKE` pattern without a star: literals and single wildcards.
  struct Segment: Sendable {
    enum Piece: Hashable, Sendable {
      case literal(TextPattern.Needle)
      case anyScalar
    }

    var pieces: [Piece] = []

    /// The smallest length of a matching text; a scalar has at least one byte.
    var minimumByteCount: Int {
      pieces.reduce(0) { sum, piece in
        if case .literal(let needle) = piece { sum + needle.bytes.count } else { sum + 1 }
      }
    }

    /// Appends a literal in folded form, and empties it for the next one.
    mutating func append(literal: inout String, folding: TextFolding) {
      let bytes = Array(folding.fold(literal).utf8)
      if !bytes.isEmpty { pieces.append(.literal(TextPattern.Needle(bytes))) }
      literal = ""
    }

    /// The end of the segment if it matches at the offset.
    func end(in text: Span<UInt8>, at offset: Int) -> Int? {
      Self.end(of: pieces[...], in: text, at: offset)
    }

    private static func end(of pieces: ArraySlice<Piece>, in text: Span<UInt8>, at offset: Int)
      -> Int?
    {
      var offset = offset
      for piece in pieces {
        switch piece {
        case .anyScalar:
          guard offset < text.count else { return nil }
          offset = text.offsetOfScalar(after: offset)
        case .literal(let needle):
          guard text.hasBytes(needle.bytes, at: offset) else { return nil }
          offset += needle.bytes.count
        }
      }
      return offset
    }

    /// The start of the segment if it matches text that ends at the offset.
    func start(in text: Span<UInt8>, endingAt offset: Int) -> Int? {
      var offset = offset
      for piece in pieces.reversed() {
        switch piece {
        case .anyScalar:
          guard offset > 0 else { return nil }
          offset = text.offsetOfScalar(before: offset)
        case .literal(let needle):
          offset -= needle.bytes.count
          guard text.hasBytes(needle.bytes, at: offset) else { return nil }
        }
      }
      return offset
    }

    /// The end of the first match of the segment, starting from an offset.
    func firstEnd(in text: Span<UInt8>, from offset: Int) -> Int? {
      var offset = offset
      var rest = pieces[...]
      while rest.first == .anyScalar {
        guard offset < text.count else { return nil }
        offset = text.offsetOfScalar(after: offset)
        rest.removeFirst()
      }
      guard case .literal(let anchor) = rest.popFirst() else { return offset }
      while let found = anchor.firstOffset(in: text, from: offset) {
        if let end = Self.end(of: rest, in: text, at: found + anchor.bytes.count) { return end }
        offset = found + 1
      }
      return nil
    }
  }
}
